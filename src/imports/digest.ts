import { hash } from 'node:crypto'

/** Of all rows so far, from that of the rows before and the text of the next: SHA-256, in hex. */
export function digestOfRow(before: string, text: string): string {
  return hash('sha256', `${before}\n${text}`, 'hex')
}
