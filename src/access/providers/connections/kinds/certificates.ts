/** Certificates of identity providers. They are pinned: only the key counts, not the issuer or the dates. */
import { X509Certificate } from 'node:crypto'

export type CertificateFault = 'certificate_malformed' | 'certificate_weak'

type CertificateFacts = {
  /** SHA-256, as other tools print it. */
  fingerprint: string
  subject: string
  not_before: string
  not_after: string
}

/** Reads a certificate from PEM or from the base64 of metadata. Returns the reason if it is not usable. */
export function readCertificate(text: string): X509Certificate | CertificateFault {
  const pem = /-----BEGIN CERTIFICATE-----([\s\S]+?)-----END CERTIFICATE-----/.exec(text)
  const base64 = (pem?.[1] ?? text).replaceAll(/\s/g, '')
  if (!/^[A-Za-z0-9+/]{64,16384}={0,2}$/.test(base64)) return 'certificate_malformed'
  let certificate: X509Certificate
  try {
    certificate = new X509Certificate(Buffer.from(base64, 'base64'))
  } catch {
    return 'certificate_malformed'
  }
  return isStrong(certificate) ? certificate : 'certificate_weak'
}

function isStrong({ publicKey }: X509Certificate): boolean {
  const { modulusLength = 0, namedCurve = '' } = publicKey.asymmetricKeyDetails ?? {}
  if (publicKey.asymmetricKeyType === 'rsa') return modulusLength >= 2048
  return publicKey.asymmetricKeyType === 'ec' && ['prime256v1', 'secp384r1', 'secp521r1'].includes(namedCurve)
}

export function certificateFacts(certificate: X509Certificate): CertificateFacts {
  return {
    fingerprint: certificate.fingerprint256,
    subject: certificate.subject.replaceAll('\n', ', ').slice(0, 512),
    not_before: certificate.validFromDate.toISOString(),
    not_after: certificate.validToDate.toISOString(),
  }
}
