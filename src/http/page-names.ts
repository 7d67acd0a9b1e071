import type { Config } from '../core/config.ts'
import { html } from '../lib/html.ts'

/** Tells a built page the names in its head: `<meta>` elements, with the names escaped. */
export function pageNames({ productName, environmentName }: Pick<Config, 'productName' | 'environmentName'>): string {
  return [
    html`<meta name="product-name" content="${productName}">`,
    html`<meta name="environment-name" content="${environmentName}">`,
  ]
    .map(({ text }) => text)
    .join('\n')
}
