/** The names that the server writes into the head of the page. */
export const headText = (name: string) =>
  globalThis.document?.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''

export const productName = headText('product-name') || 'Rollbook'
/** Empty if none is configured. */
export const environmentName = headText('environment-name')

export type EnvironmentKind = 'production' | 'trial' | 'other'

/** Decides the colour of the tag: red, amber or blue. */
export function environmentKind(name: string): EnvironmentKind {
  const words = name.replaceAll('_', ' ')
  if (/\b(?:(?:non|pre)[ -]?prod|stag(?:e|ing)\b|(?:test(?:s|ing)?|qa|uat)\b)/i.test(words)) return 'trial'
  return /\b(?:prod(?:uction)?|live)\b/i.test(words) ? 'production' : 'other'
}
