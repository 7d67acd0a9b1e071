/** A certificate that only carries our public key to the provider, as SAML metadata does (RFC 5280 §4.1). */
import { createPublicKey, generateKeyPair, type KeyObject, randomBytes, sign } from 'node:crypto'
import { promisify } from 'node:util'

/** Providers pin it and it is never renewed: a new connection has a new one. */
const validYears = 20

type KeyAndCertificate = { privateKey: string; certificate: string }

/** In PEM. */
export async function selfSigned(commonName: string, now: number): Promise<KeyAndCertificate> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 3072 })
  const certificate = certificateFor(privateKey, commonName, now)
  return { privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, certificate: toPem(certificate) }
}

/** @param privateKey RSA */
export function certificateFor(privateKey: KeyObject, commonName: string, now: number, until = inYears(now)): Buffer {
  const name = sequence(set(sequence(oid('550403'), der(0x0c, Buffer.from(commonName.slice(0, 64))))))
  // A positive number.
  const serial = Buffer.concat([Buffer.from([0x40]), randomBytes(15)])
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    sha256WithRsa,
    name,
    sequence(time(new Date(now - 86_400_000)), time(until)),
    name,
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
  )
  const signature = sign('sha256', body, privateKey)
  return sequence(body, sha256WithRsa, der(0x03, Buffer.concat([Buffer.from([0]), signature])))
}

function inYears(now: number): Date {
  const end = new Date(now)
  end.setUTCFullYear(end.getUTCFullYear() + validYears)
  return end
}

export function toPem(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  if (length < 128) return Buffer.concat([Buffer.from([tag, length]), content])
  const digits = Buffer.from(length.toString(16).padStart(length > 255 ? 4 : 2, '0'), 'hex')
  return Buffer.concat([Buffer.from([tag, 0x80 | digits.length]), digits, content])
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts))
}

function set(...parts: Buffer[]): Buffer {
  return der(0x31, Buffer.concat(parts))
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'))
}

/** UTCTime until 2049, then GeneralizedTime (RFC 5280 §4.1.2.5). */
function time(at: Date): Buffer {
  const digits = `${at.toISOString().slice(0, 19).replaceAll(/[-T:]/g, '')}Z`
  return at.getUTCFullYear() < 2050 ? der(0x17, Buffer.from(digits.slice(2))) : der(0x18, Buffer.from(digits))
}

const sha256WithRsa = sequence(oid('2a864886f70d01010b'), der(0x05, Buffer.alloc(0)))
