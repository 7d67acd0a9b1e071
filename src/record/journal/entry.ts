import type { Actor } from '../../store/context.ts'
import type { Changes, RecordedActor } from '../../store/journal-entry.ts'

/** Returns what differs between two states, member by member. In a missing state every member is null. */
export function changesOf(before: object | undefined, after: object | undefined, members: readonly string[]): Changes {
  const memberOf = (state: object | undefined, member: string) =>
    (state as Record<string, unknown> | undefined)?.[member] ?? null
  const changes: Changes = {}
  for (const member of members) {
    const [was, is] = [memberOf(before, member), memberOf(after, member)]
    // To readers of an audit record, an empty text and null are the same.
    if ((was ?? '') === (is ?? '')) continue
    if (JSON.stringify(was) !== JSON.stringify(is)) changes[member] = { before: was, after: is }
  }
  return changes
}

export function recordedActor({ kind, id, name, signedIn, personalKey }: Actor): RecordedActor {
  return {
    kind,
    id,
    name,
    ...(kind === 'api_key' && { key_id: id }),
    ...(personalKey && { key_id: personalKey.key_id }),
    ...(signedIn && { session_id: signedIn.session_id }),
  }
}
