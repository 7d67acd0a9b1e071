/** Replaces what no two runs have in common: ids, secrets, ports, durations. An id keeps its placeholder. */

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** Members and headers whose value is random, or depends on the machine. */
const different = new Set([
  'age_ms',
  'challenge',
  'credential_id',
  'duration_ms',
  'otpauth_uri',
  'qr_code',
  'recovery_codes',
  'secret',
  'sp_certificate',
  'user_handle',
])

const forms: readonly [form: RegExp, placeholder: string][] = [
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<token>'],
  [/\brb_[0-9A-Za-z]{30,}/g, '<key>'],
  [/\brb_[0-9A-Za-z]{6}\b/g, '<prefix>'],
  [/\b[0-9a-f]{40,128}\b/g, '<hash>'],
  [/(?<=127\.0\.0\.1(?::|%3A))\d+/g, '<port>'],
  [/(?<=\brollbook-verification=)[\w-]+/g, '<proof>'],
  [/(?<=X509Certificate>)[^<]+/g, '<certificate>'],
  [/(?<=\brollbook-device=)[^;]+/g, '<device>'],
  [/\b[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}\b/g, '<user code>'],
  // The version of the list is a number of the engine's.
  [/W\/\\"[\w.-]+(?=\.\w+\\")/g, 'W/\\"<version>'],
  [/(?<![\w-])(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{20,}(?![\w-])/g, '<secret>'],
]

/** The object of a passkey (WebAuthn §5.4.3). */
const isUserHandle = (name: string, value: unknown) => name === 'id' && /^[\w-]{22}$/.test(String(value))

export function normalizer(): (step: string, outcome: unknown) => string {
  const ids = new Map<string, string>()
  const idOf = (value: string) => {
    const known = ids.get(value) ?? `<id ${ids.size + 1}>`
    ids.set(value, known)
    return known
  }
  return (step, outcome) => {
    const normalized = JSON.stringify(
      outcome,
      (name, value) => (value !== null && (different.has(name) || isUserHandle(name, value)) ? `<${name}>` : value),
      1,
    )
    let text = `${step} ${normalized}`.replaceAll(uuid, idOf)
    for (const [form, placeholder] of forms) text = text.replaceAll(form, placeholder)
    return text
  }
}
