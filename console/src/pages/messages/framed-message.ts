const policyOf = (nonce: string) => `default-src 'none'; style-src 'nonce-${nonce}'`

/**
 * Returns a message for a frame of the console. The frame inherits the console's content security policy, which allows no
 * `style` attributes, so they become rules of one sheet. The frame's own policy is stricter still: nothing is loaded.
 */
export function framedMessage(html: string, nonce: string): string {
  const names = new Map<string, number>()
  const body = html
    .replaceAll('<style>', `<style nonce="${nonce}">`)
    .replaceAll(/(<[^>]*?) style="([^"]*)"/g, (_, before: string, style: string) => {
      const name = names.get(style) ?? names.size
      names.set(style, name)
      return `${before} data-style="${name}"`
    })
  const rules = [...names].map(([style, name]) => `[data-style="${name}"]{${style}}`).join('')
  const head = `<meta http-equiv="Content-Security-Policy" content="${policyOf(nonce)}"><style nonce="${nonce}">${rules}</style>`
  return body.replace('<head>', `<head>${head}`)
}
