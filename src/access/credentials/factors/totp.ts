/** One-time codes of an app: TOTP with SHA-1, 6 digits and steps of 30 s (RFC 6238), which every app supports. */
import { randomBytes } from 'node:crypto'

const stepSeconds = 30
/** RFC 6238 §5.2 recommends at most one step for the delay of the network, and for phones whose clock is a little off. */
const drift = 1
/** RFC 4226 §4 R6 recommends 160 bits, the length of the hash. */
const secretBytes = 20

// Loaded with the first use: most servers start without anyone asking for a code.
const library = () => import('otpauth')

/** Returns a new secret in base32, as apps want it. */
export async function makeTotpSecret(): Promise<string> {
  const { Secret } = await library()
  return new Secret({ buffer: new Uint8Array(randomBytes(secretBytes)).buffer }).base32
}

export type Label = { issuer: string; username: string }

/**
 * Returns the URI that apps read from a QR code (Key URI Format). Apps split the label at its colon, even an encoded one,
 * so the format allows none in either name.
 */
export async function totpUri(secret: string, { issuer, username }: Label): Promise<string> {
  const { Secret, TOTP } = await library()
  const [plainIssuer, label] = [issuer, username].map((name) => name.replaceAll(/\s*:\s*/g, ' ').trim()) as [
    string,
    string,
  ]
  return new TOTP({ ...algorithm, issuer: plainIssuer, label, secret: Secret.fromBase32(secret) }).toString()
}

const algorithm = { algorithm: 'SHA1', digits: 6, period: stepSeconds }

/**
 * Returns the step that the code belongs to, undefined if it is not valid now. The caller stores the step, so that
 * no code works twice (RFC 6238 §5.2).
 */
export async function stepOfCode(secret: string, code: string, now: number): Promise<number | undefined> {
  // Apps show the code in two groups.
  const token = code.replaceAll(/[\s-]/g, '')
  if (!/^\d{6}$/.test(token)) return undefined
  const { Secret, TOTP } = await library()
  const delta = TOTP.validate({
    ...algorithm,
    token,
    secret: Secret.fromBase32(secret),
    timestamp: now,
    window: drift,
  })
  return delta === null ? undefined : Math.floor(now / 1000 / stepSeconds) + delta
}

/** Returns a picture of the URI without scripts or outside references. */
export async function qrCode(uri: string): Promise<string> {
  const { renderSVG } = await import('uqr')
  return renderSVG(uri, { border: 2, ecc: 'M' })
}
