/** A logo in a file of the command's machine. Whether it is a good one decides access/pages/branding alone. */
import { closeSync, openSync, readSync } from 'node:fs'

export const mostLogoBytes = 65_536

/** Returns the content of a file, or of a larger one the first bytes, which are too many for a logo. @throws Error */
export function readLogoFile(path: string): Buffer {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(mostLogoBytes + 1)
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, null)
    }
    return bytes.subarray(0, length)
  } finally {
    closeSync(file)
  }
}

export function logoDataUrl(bytes: Buffer): string {
  const isPng = bytes.subarray(1, 4).toString('latin1') === 'PNG'
  return `data:${isPng ? 'image/png' : 'image/svg+xml'};base64,${bytes.toString('base64')}`
}
