/**
 * A kind of connection: its settings, its secrets, and the meaning of its claims. Such a module is
 * loaded at the start, so it imports no library of its protocol; the protocol itself implements ../protocol.ts.
 */
import type { InputFault } from '../../../../core/errors.ts'
import type { ClaimNote } from '../claim-notes.ts'

/** Verified input from the provider: claims of an ID token, attributes of an assertion or entry. */
export type Claims = Readonly<Record<string, unknown>>

/** The settings of a kind, as they are stored. Each kind knows their types. */
export type KindSettings = Readonly<Record<string, unknown>>

/** The claims that the core needs, for every protocol. Texts are checked by the core. */
export type Arrival = {
  /** Identifies the account, with the connection. Empty: missing or not usable. */
  subject: string
  email: unknown
  /** Whether the other side states that it has verified the address, in the way that counts for this kind. */
  email_verified: boolean
  first_name: unknown
  last_name: unknown
  /** When the user signed in there, in milliseconds. */
  auth_time_ms: number | undefined
  amr: readonly string[]
  acr: string | undefined
  /** The session at the other side, by which it will ask for a logout. */
  sid: string | undefined
}

/** A claim that the kind looks at, and what it means for the sign-in. */
export type Explained = { claim: string; notes: readonly ClaimNote[] }

export type Kind = {
  name: string
  /** As the console and messages call it. */
  title: string
  /** Products with their own habits. The first one is the default. */
  presets: readonly string[]
  /** `redirect`: the browser goes to the provider and returns. `password`: our page asks, and the protocol checks. */
  way: 'redirect' | 'password'
  /** True if the browser returns with a form of another site (SAML's POST binding). */
  returnsByPost: boolean
  /** True if its protocol has `prepare`. */
  prepares: boolean
  /** The names of its settings, without `preset`. */
  members: readonly string[]
  /** Members that may be sent and are never stored: `prepare` turns them into others. */
  inputs?: readonly string[]
  /** Members that may be sent and are never returned. Each has a `has_…` in responses. */
  secrets: readonly string[]
  /** The defaults. A setting without a default is required. */
  initial: KindSettings
  /** Checks the settings and brings them into the form that is stored. `given`: the members that the request has. */
  normalize(
    settings: KindSettings,
    inputNames: ReadonlySet<string>,
  ): { settings: KindSettings; faults: readonly InputFault[] }
  /** A change of one of them may give subjects to other people, so it removes the identities. `preset` is among them. */
  identifying: readonly string[]
  /** Where secrets are sent. With another one, the secrets must be sent again. */
  destinations: readonly string[]
  /** The values to copy to the provider. `base` is the address of the connection. */
  addresses(base: string): Readonly<Record<string, string>>
  /** Members of responses only. */
  facts?(settings: KindSettings): Readonly<Record<string, unknown>>
  /** True: texts of times may have the forms of LDAP and Active Directory. */
  hasDirectoryTimes?: true
  arrivalOf(settings: KindSettings, claims: Claims): Arrival
  /** As this kind calls them; empty: it has none. */
  claimNames: { email: string; amr: string; acr: string; auth_time: string }
  /** The claim with the address, where the settings or the provider choose its name. */
  emailClaim?(settings: KindSettings, claims: Claims): string
  /** Explains its own claims, the subject first. Role, email, amr, acr and time are explained by the core. */
  explain(settings: KindSettings, claims: Claims, arrival: Arrival): readonly Explained[]
}
