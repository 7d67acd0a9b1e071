import type { ActorKind } from '../core/actor.ts'
/** A change's entry in the journal: one audit record, and the events for followers. */

/** The client that sent a request. Text that the client chose is cut to a limit. */
export type Origin = { address: string; user_agent: string }

/** `failure`: a sign-in failed; `denied`: the caller lacked a permission. */
export type Outcome = 'success' | 'failure' | 'denied'

/** `anonymous`: an unknown caller, with an empty `id`. */
export type RecordedActor = {
  kind: ActorKind | 'anonymous'
  id: string
  name: string
  key_id?: string
  session_id?: string
  /** The `user_id` of the impersonated user. */
  acts_as?: string
  /** The organization of the actor. Missing: none. */
  organization_id?: string
}

/** A row that can belong to an organization. */
export type Placed = { organization_id: string | null }

/** What can belong to an organization. */
type PlacedKind =
  | 'user'
  | 'group'
  | 'key'
  | 'connection'
  | 'sign_in_connection'
  | 'import'
  | 'organization'
  | 'setup_link'
  | 'access_request'

export type PlacedTarget = Placed & {
  kind: PlacedKind
  id: string
  name?: string
  /** The organization that it belonged to before the action. */
  former_organization_id?: string | null
}

type GlobalTarget = {
  kind: GlobalKind
  id: string
  name?: string
  organization_id?: never
  former_organization_id?: never
}

/** The object of the action. For a session it is the session's user; the session itself is in the details. */
export type Target = PlacedTarget | GlobalTarget

/** What belongs to the whole deployment. */
type GlobalKind = 'webhook' | 'mail' | 'policy' | 'role' | 'attribute' | 'branding' | 'signing_key' | 'review'

/** By member. A secret is only marked as changed. */
export type Changes = Record<string, { before: unknown; after: unknown } | 'changed'>

export type AuditEntry = {
  /** Noun and past participle: `user.updated`. */
  action: string
  outcome?: Outcome
  /** The problem code of a refusal. */
  code?: string
  /** Default: the actor of the change. */
  actor?: RecordedActor
  /** Default: the origin of the request. */
  origin?: Origin
  target?: Target
  changes?: Changes
  details?: Record<string, unknown>
  /** What the details name besides the target: readers of an organization see its id and name only if it belongs to theirs. */
  related?: Placed
}

export type EventEntry = {
  type: string
  /** The id of what changed. */
  subject: string
  /** The owner of the history: for a session, its user. Events of one owner are in order, and are erased together. */
  owner_id: string
  /** JSON. */
  data: string
}
