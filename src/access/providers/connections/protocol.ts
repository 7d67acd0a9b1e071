/**
 * What a protocol does for a sign-in. It yields verified claims or fails; what they mean is decided by the kind, and who
 * signs in by decide.ts. A protocol is loaded with the first sign-in that needs it.
 */
import type { Claims, KindSettings } from './kinds/kind.ts'
import type { KindName } from './kinds/kinds.ts'

/** What a change of a connection replaces: the names of the secrets that it has. They are not opened. */
export type Before = { secrets: readonly string[] }

/** A connection as its protocol sees it: its secrets are open. */
export type OpenConnection = {
  connection_id: string
  /** Otherwise only an administrator uses it, to test it. */
  isActive: boolean
  /** A cache of what was read for the connection ends with its version. */
  version: number
  name: string
  settings: KindSettings
  secrets: Readonly<Record<string, string | undefined>>
}

/** The secrets of a sign-in that waits. They are derived from the browser's cookie, so any node can repeat them. */
export type Asking = {
  /** Returns with the browser: `state`, or SAML's `RelayState`. 43 characters of base64url. */
  state: string
  /** The value that the response must repeat: `nonce`, or the id of a SAML request. 43 characters of base64url. */
  nonce: string
  /** The code verifier of PKCE. */
  verifier: string
  /** Where the browser returns to: `…/connections/{connection_id}/callback`. */
  returnUri: string
  loginHint?: string
  /** The domain of the hint, if it is one of the connection's. */
  domainHint?: string
  /** For the pages of the provider (RFC 5646). Without one it goes by the browser's languages, as we do. */
  language?: string
  /** The provider must ask the user again, and say when it did. The core compares `auth_time_ms`. */
  isFresh: boolean
}

/** Where the browser goes, by a redirect. */
export type Departure = { url: URL }

/** With what the browser returned. `form` is undefined unless it was a POST. */
export type Returned = { query: string; form?: Readonly<Record<string, string>> }

export type Vouched = {
  claims: Claims
  /** Messages that may be used once, on all nodes, and until when (milliseconds) they would be accepted. */
  once?: readonly Order[]
  /** The hint that the provider expects at a logout that starts here, such as the ID token. */
  logoutHint?: string
  /** What could not be read, and did not prevent the sign-in. For the administrator. */
  warning?: string
}

export type Protocol = {
  /** Kinds with the way `redirect`. @throws ProtocolFailure */
  depart?(connection: OpenConnection, asking: Asking): Promise<Departure>
  /** Verifies what the browser brought back. @throws ProtocolFailure */
  arrive?(connection: OpenConnection, returned: Returned, asking: Asking): Promise<Vouched>
  /** The browser came, and no sign-in waits for it. @throws ProtocolFailure unless the connection accepts that */
  arriveUnasked?(connection: OpenConnection, returned: Returned, asking: Pick<Asking, 'returnUri'>): Promise<Vouched>
  /** Kinds with the way `password`. Undefined: this username and password do not belong together. @throws ProtocolFailure */
  check?(connection: OpenConnection, input: { username: string; password: string }): Promise<Vouched | undefined>
  /**
   * Completes what an operator sends, before it is stored: reads metadata from a URL, or asks a server what it can do.
   * Returns the members to store instead. @throws AppError, ProtocolFailure
   */
  prepare?(
    input: Readonly<Record<string, unknown>>,
    before: Before | undefined,
  ): Promise<Readonly<Record<string, unknown>>>
  /** Asks whether the provider is there, and is what the settings say. @throws ProtocolFailure */
  reach?(connection: OpenConnection): Promise<void>
  /**
   * Kinds with the way `password`: connects as the operator configured it, and reads the account of a username, without a
   * password. @throws ProtocolFailure
   */
  probe?(connection: OpenConnection, username: string | undefined): Promise<{ claims?: Claims; detail: string }>
  /** Verifies the token of a back-channel logout. @throws ProtocolFailure */
  readLogout?(
    connection: OpenConnection,
    token: string,
  ): Promise<Order & { subject: string | null; sid: string | null }>
  /** Verifies the token with which the provider asks to sign a user out everywhere. @throws ProtocolFailure */
  readRevocation?(connection: OpenConnection, token: string, endpoint: string): Promise<Order>
  /** Where the browser ends the session there as well; undefined if the provider has no such address. */
  endSession?(
    connection: OpenConnection,
    leaving: { hint: string | undefined; returnUri: string },
  ): Promise<URL | undefined>
  /** Kinds whose accounts can be listed, in pages. @throws ProtocolFailure */
  people?(connection: OpenConnection): AsyncIterable<PeoplePage>
  close(): void
}

/** A message that may be used once, and until when (milliseconds) it would be accepted. */
export type Order = { id: string; until: number }

export type PeoplePage = {
  people: { label: string; claims: Claims; isDisabled: boolean }[]
  /** Accounts that could not be read. */
  skipped: { label: string; detail: string }[]
  /** False: there may be more accounts than the other side returned. */
  isComplete: boolean
}

export type ProtocolOptions = {
  /** Internal networks in which providers may be (`ROLLBOOK_IDP_ALLOWED_NETWORKS`). */
  idpAllowedNetworks: readonly string[] | undefined
  clock(): number
  calls: ProviderCalls
}

export type ProviderCall<Result = unknown> = {
  kind: KindName
  /** Undefined while it is being created. */
  connection?: Pick<OpenConnection, 'connection_id' | 'isActive'> | undefined
  /** The endpoint, or what is asked for. */
  part: string
  /** The host, or one of several servers. */
  server?: string
  /** Whether the provider, or our configuration of it, is at fault; otherwise `provider_unreachable` alone. */
  isFailure?(error: unknown): boolean
  /** What is wrong with a response that arrived; undefined: nothing. */
  faultIn?(result: Result): string | undefined
}

export type ProviderCalls = {
  /** Notes the outcome of one request, and passes it on. */
  follow<Result>(call: ProviderCall<Result>, request: () => Promise<Result>): Promise<Result>
  /** @param error undefined if it succeeded */
  note(call: ProviderCall<never>, error?: unknown): void
}

export type ProtocolReason =
  /** It does not respond, or not as it should. */
  | 'provider_unreachable'
  /** It told the browser that it refuses. */
  | 'provider_refused'
  /** It refused what we sent to it. */
  | 'code_refused'
  /** The message is not valid. */
  | 'token_invalid'
  /** Kinds with the way `password`: the user gets the same answer for every refusal. The message has the reason. */
  | 'wrong_password'
  /** It did not ask the user again. */
  | 'not_recent'
  /** It answers no request that waits. */
  | 'expired'

/** Why the protocol failed. The message is for the administrator: it names claims and settings, never their values. */
export class ProtocolFailure extends Error {
  readonly reason: ProtocolReason
  /** The reason for the administrator, if the protocol has finer ones. */
  readonly code: string
  /** The claims that arrived, as far as they were verified. */
  readonly claims: Claims

  constructor(
    reason: ProtocolReason,
    detail: string,
    { cause, claims = {}, code = reason }: { cause?: unknown; claims?: Claims; code?: string } = {},
  ) {
    super(detail, { cause })
    this.reason = reason
    this.code = code
    this.claims = claims
  }
}
