const policyOf = (nonce: string) => `default-src 'none'; style-src 'nonce-${nonce}'`

/**
 * Returns a message for a frame of the console. The frame inherits the console's content security policy, which allows no
 * `style` attributes, so they become classes. The frame's own policy is stricter still: nothing is loaded.
 */
export function framedMessage(html: string, nonce: string): string {
  const classes = new Map<string, string>()
  const body = html
    .replaceAll('<style>', `<style nonce="${nonce}">`)
    .replaceAll(/(<[^>]*?) style="([^"]*)"/g, (_, before: string, style: string) => {
      const name = classes.get(style) ?? `m${classes.size}`
      classes.set(style, name)
      return `${before} class="${name}"`
    })
  const rules = [...classes].map(([style, name]) => `.${name}{${style}}`).join('')
  const head = `<meta http-equiv="Content-Security-Policy" content="${policyOf(nonce)}"><style nonce="${nonce}">${rules}</style>`
  return body.replace('<head>', `<head>${head}`)
}
