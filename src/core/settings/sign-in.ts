import { isIPv4 } from 'node:net'
import { expectedPolicy, parseSecondFactor } from '../second-factor.ts'
import { callableNetworks, integer, isoDate, kind, list, oneOf, origins, type Settings } from './kinds.ts'

/** WebAuthn §5.1.2: a domain, never an address. */
const domains = list('domains such as example.com', (text) =>
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(text) &&
  !isIPv4(text)
    ? text
    : undefined,
)

const secondFactor = kind(expectedPolicy, parseSecondFactor)

export const signIn = {
  sessionSeconds: {
    name: 'ROLLBOOK_SESSION_SECONDS',
    kind: integer(300, 31_536_000),
    default: '2592000',
    why: 'Lower it if users should sign in again sooner than after 30 days, even if they use the product all the time.',
  },
  sessionIdleSeconds: {
    name: 'ROLLBOOK_SESSION_IDLE_SECONDS',
    kind: integer(300, 31_536_000),
    default: '604800',
    why: 'Change it if an unused session should end sooner or later than after 7 days.',
  },
  returnOrigins: {
    name: 'ROLLBOOK_RETURN_ORIGINS',
    kind: origins,
    default: undefined,
    why:
      'Set it if the web UI has another origin than this API, so that users may be sent back there after signing in ' +
      '(`return_to`). Not set: only to the origin of this API.',
  },
  secondFactor: {
    name: 'ROLLBOOK_SECOND_FACTOR',
    kind: secondFactor,
    default: undefined,
    why:
      'Set it to `required` so that a stolen password is not enough, or by role and group: ' +
      '`{"admin":"required","group:Staff":"required"}`, with `*` for the other roles. Users without a factor add one at ' +
      'the next sign-in. Not set: the policy of `PATCH /policies`, or `optional`.',
  },
  secondFactorFrom: {
    name: 'ROLLBOOK_SECOND_FACTOR_FROM',
    kind: isoDate,
    default: undefined,
    why:
      'Set it to give users time: until this date (UTC) users who must add a factor are reminded, and can still sign in ' +
      'without it. Not set: it is required at once.',
  },
  passkeyRpId: {
    name: 'ROLLBOOK_PASSKEY_RP_ID',
    kind: domains,
    default: undefined,
    why:
      'The domain that passkeys belong to, which can be a parent of the host in `ROLLBOOK_PUBLIC_URL`. Passkeys work ' +
      'only there, so choose before the first user adds one. After a change list both, the one for new passkeys first. ' +
      'Not set: the host of `ROLLBOOK_PUBLIC_URL`, or `localhost`.',
  },
  passkeyOrigins: {
    name: 'ROLLBOOK_PASSKEY_ORIGINS',
    kind: origins,
    default: undefined,
    why:
      'Set it if pages of other origins, such as https://orchard.example.net, may use the same passkeys. Browsers ask ' +
      '`/.well-known/webauthn` on the domain of the passkeys, which lists them besides `ROLLBOOK_PUBLIC_URL` ' +
      '(docs/second-factors.md).',
  },
  trustBrowserDays: {
    name: 'ROLLBOOK_TRUST_BROWSER_DAYS',
    kind: integer(0, 90),
    default: '0',
    why:
      'Set it, for example to 30, so that users may choose not to be asked for their second factor in the same browser for ' +
      'that many days. The password is still asked for. `0`: always asked.',
  },
  accessRequests: {
    name: 'ROLLBOOK_ACCESS_REQUESTS',
    kind: oneOf('off', 'on'),
    default: 'off',
    why:
      'Set it to `on` if people may ask for access on the page `/request-access`, which confirms their address by email. ' +
      'There is no user before an administrator approves (docs/access-requests.md).',
  },
  emailCode: {
    name: 'ROLLBOOK_EMAIL_CODE',
    kind: oneOf('off', 'on'),
    default: 'off',
    why:
      'Set it to `on` so that users can sign in with a six-digit code that they get by email, without a password. A second ' +
      'factor is still asked for. Needs `ROLLBOOK_SMTP_URL`.',
  },
  cliLogin: {
    name: 'ROLLBOOK_CLI_LOGIN',
    kind: oneOf('on', 'loopback', 'off'),
    default: 'on',
    why:
      'Set it to `loopback` if users should not sign in the command line with a code that they type, which a stranger could ' +
      'send them: `rollbook login` then needs a browser on the same machine. `off`: there is no such sign-in.',
  },
  idpAllowedNetworks: {
    name: 'ROLLBOOK_IDP_ALLOWED_NETWORKS',
    kind: callableNetworks,
    default: undefined,
    why:
      'Set it if an identity provider of a sign-in connection is in your own network. Everyone who may create ' +
      'connections can have requests sent there, so list only what they need. Not set: only public addresses are called.',
  },
} as const satisfies Settings
