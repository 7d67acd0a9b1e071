import type { Totp } from './person.ts'

/** Reads the link behind a QR code, such as `otpauth://totp/Orchard:ada?secret=…`; undefined if the text is not one. */
export function totpOfUri(text: string): Totp | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, host, pathname, searchParams } = new URL(text)
  const secret = searchParams.get('secret')
  // Some parsers see `totp` as the host, and others as a part of the path.
  if (protocol !== 'otpauth:' || secret === null || !`${host}${pathname}`.includes('totp')) return undefined
  const number = (name: string) => (searchParams.has(name) ? Number(searchParams.get(name)) : undefined)
  const algorithm = searchParams.get('algorithm') ?? undefined
  return { secret, algorithm, digits: number('digits'), period: number('period') }
}
