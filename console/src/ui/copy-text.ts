/** Copies a text, also on plain http, where pages have no clipboard API. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  area.setAttribute('readonly', '')
  Object.assign(area.style, { position: 'fixed', insetInlineStart: '-100vw' })
  const host = document.querySelector('dialog[open], [role="dialog"]') ?? document.body
  const before = document.activeElement
  host.append(area)
  area.select()
  // The only way without https.
  const isCopied = document.execCommand('copy')
  area.remove()
  if (before instanceof HTMLElement) before.focus()
  if (!isCopied) throw new Error('The browser did not copy the text.')
}
