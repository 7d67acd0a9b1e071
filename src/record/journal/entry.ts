/** What a change leaves in the journal: one audit record, and the events that others follow. */
import type { Actor } from '../../store/context.ts'

/** From where a request came; text that the client chose is cut to a bound. */
export type Origin = { address: string; user_agent: string }

/** `failure`: a sign-in that did not succeed; `denied`: somebody was not allowed to. */
export type Outcome = 'success' | 'failure' | 'denied'

/** `anonymous` is nobody that is known; its `id` is empty. */
export type RecordedActor = {
  kind: Actor['kind'] | 'anonymous'
  id: string
  name: string
  key_id?: string
  session_id?: string
}

/** What it was done to. What is done to the session of a user is done to the user; the session stands in the details. */
export type Target = { kind: string; id: string; name?: string }

/** By member. Of a secret it is said only that it is another one. */
export type Changes = Record<string, { before: unknown; after: unknown } | 'changed'>

export type AuditEntry = {
  /** Noun and past participle: `user.updated`. */
  action: string
  outcome?: Outcome
  /** Of what was refused: the problem's code. */
  code?: string
  /** Default: who makes the change. */
  actor?: RecordedActor
  /** Default: from where the request came. */
  origin?: Origin
  target?: Target
  changes?: Changes
  details?: Record<string, unknown>
}

export type EventEntry = {
  type: string
  /** The id of what changed. */
  subject: string
  /** Whose history it belongs to: of a user's session, the user. Order holds within it, and it is erased as one. */
  owner_id: string
  /** JSON. */
  data: string
}

/** What differs between two states, member by member; a missing state has null for each. */
export function changesOf(before: object | undefined, after: object | undefined, members: readonly string[]): Changes {
  const memberOf = (state: object | undefined, member: string) =>
    (state as Record<string, unknown> | undefined)?.[member] ?? null
  const changes: Changes = {}
  for (const member of members) {
    const [was, is] = [memberOf(before, member), memberOf(after, member)]
    // An empty text and none are the same to whoever reads what changed.
    if ((was ?? '') === (is ?? '')) continue
    if (JSON.stringify(was) !== JSON.stringify(is)) changes[member] = { before: was, after: is }
  }
  return changes
}

export function recordedActor({ kind, id, name, signedIn }: Actor): RecordedActor {
  return {
    kind,
    id,
    name,
    ...(kind === 'api_key' && { key_id: id }),
    ...(signedIn && { session_id: signedIn.session_id }),
  }
}
