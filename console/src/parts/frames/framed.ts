/** Messages and pages of the service in a frame of the console, which inherits the console's content security policy. */

export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? ''
}

/**
 * Returns a message for a frame without scripts. The inherited policy allows no `style` attributes, so they become rules of one
 * sheet. The frame's own policy is stricter still: nothing is loaded.
 */
export function framedMessage(html: string, nonce: string): string {
  const names = new Map<string, number>()
  const body = html.replaceAll(/(<[^>]*?) style="([^"]*)"/g, (_, before: string, style: string) => {
    const name = names.get(style) ?? names.size
    names.set(style, name)
    return `${before} data-style="${name}"`
  })
  const rules = [...names].map(([style, name]) => `[data-style="${name}"]{${style}}`).join('')
  return framed(body, { nonce, rules, policy: `default-src 'none'; style-src 'nonce-${nonce}'; img-src data:` })
}

/** Returns a sign-in page for a frame without scripts, as it is before its scripts run. Its links lead nowhere. */
export function framedPage(html: string, nonce: string): string {
  const still = html.replaceAll(/<script\b[^>]*><\/script>/g, '').replaceAll(' autofocus', '')
  const policy = `default-src 'none'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'`
  return framed(still, { nonce, rules: '', policy }).replace('</title>', '</title><base target="_blank">')
}

function framed(html: string, { nonce, rules, policy }: { nonce: string; rules: string; policy: string }): string {
  const sheet = rules === '' ? '' : `<style nonce="${nonce}">${rules}</style>`
  return html
    .replaceAll('<style>', `<style nonce="${nonce}">`)
    .replace('<head>', `<head><meta http-equiv="Content-Security-Policy" content="${policy}">${sheet}`)
}
