import { expectedIssuers, parseTrustedIssuers, type TrustedIssuer } from '../trusted-issuers.ts'
import { integer, type Kind, kind, longSecret, oneOf, type Settings } from './kinds.ts'

const audience = kind('1 to 255 visible ASCII characters without spaces', (text) =>
  /^[\x21-\x7e]{1,255}$/.test(text) ? text : undefined,
)

const trustedIssuers: Kind<readonly TrustedIssuer[]> = {
  expected: expectedIssuers,
  read: (text) => parseTrustedIssuers(text),
}

export const accessTokens = {
  tokenAudience: {
    name: 'ROLLBOOK_TOKEN_AUDIENCE',
    kind: audience,
    default: undefined,
    why: 'Set it if your main API expects another `aud` in access tokens. Not set: the origin of `ROLLBOOK_PUBLIC_URL`.',
  },
  tokenSeconds: {
    name: 'ROLLBOOK_TOKEN_SECONDS',
    kind: integer(30, 300),
    default: '300',
    why:
      'Lower it if services verify tokens offline without the revocation feed and may accept a revoked token for less ' +
      'than 5 minutes.',
  },
  tokenAlgorithm: {
    name: 'ROLLBOOK_TOKEN_ALGORITHM',
    kind: oneOf('EdDSA', 'ES256'),
    default: 'EdDSA',
    why:
      'Set it to `ES256` if a library that verifies access tokens knows no EdDSA keys (docs/verify-any-language.md). The next ' +
      'signing key is then of this kind.',
  },
  signingKeyDays: {
    name: 'ROLLBOOK_SIGNING_KEY_DAYS',
    kind: integer(0, 3650),
    default: '90',
    why:
      'Change it if the key that signs access tokens should be replaced more or less often. `0`: only with `POST ' +
      '/signing-keys/rotate`.',
  },
  keyEncryptionSecret: {
    name: 'ROLLBOOK_KEY_ENCRYPTION_SECRET',
    kind: longSecret,
    default: undefined,
    secret: true,
    why:
      'Set it so that a person who can read the database or a backup cannot sign tokens: it encrypts the private keys, and the ' +
      'secrets of one-time codes, webhooks and connections. Keep it safe: without it they are lost (docs/signing-keys.md).',
  },
  keyEncryptionSecretPrevious: {
    name: 'ROLLBOOK_KEY_ENCRYPTION_SECRET_PREVIOUS',
    kind: longSecret,
    default: undefined,
    secret: true,
    why:
      'Set it to the old secret while you replace `ROLLBOOK_KEY_ENCRYPTION_SECRET`, until `rollbook secrets rotate` has run ' +
      '(docs/signing-keys.md).',
  },
  trustedIssuers: {
    name: 'ROLLBOOK_TRUSTED_ISSUERS',
    kind: trustedIssuers,
    default: '[]',
    why: 'Set it if Rollbook should accept tokens of your main API or of an identity provider (docs/trusted-issuers.md).',
  },
} as const satisfies Settings
