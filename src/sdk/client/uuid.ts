/** Returns a new UUIDv7 (RFC 9562 §5.7). Pages on plain HTTP do not have `crypto.randomUUID`. */
export function uuidv7(): string {
  const random = crypto.getRandomValues(new Uint8Array(10))
  const hex = [...random].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const time = Date.now().toString(16).padStart(12, '0')
  const variant = '89ab'[(random[2] as number) & 3]
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex.slice(1, 4)}-${variant}${hex.slice(5, 8)}-${hex.slice(8)}`
}
