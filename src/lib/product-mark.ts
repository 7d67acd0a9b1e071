/** The mark of a product that has no logo. */
import { html } from './html.ts'

const rollbookMark = (ground: string) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
  <rect width="32" height="32" rx="7" fill="${ground}"/>
  <path fill="#fff" d="M8 9h2.5v2.5H8zm5 0h11v2.5H13zM8 14.75h2.5v2.5H8zm5 0h11v2.5H13zM8 20.5h2.5V23H8zm5 0h7V23h-7z"/>
</svg>
`

/** Our logo, as in the console; for another product its first letter on the same background. */
export function productMark(productName: string, ground = '#1f5fbf'): string {
  if (productName === 'Rollbook') return rollbookMark(ground)
  const letter = /[\p{L}\p{N}]/u.exec(productName)?.[0].toUpperCase() ?? ''
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40">
  <rect width="40" height="40" rx="9" fill="${ground}"/>
  <text x="20" y="20" dy="0.355em" fill="#fff" font-family="system-ui, Segoe UI, Roboto, Helvetica Neue, sans-serif" font-size="22" font-weight="600" text-anchor="middle">${letter}</text>
</svg>
`.text
}
