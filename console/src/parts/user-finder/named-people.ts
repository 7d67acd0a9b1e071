import { api } from '../../api/client.ts'
import { type Lookup, lookUp } from './pasted-names.ts'

type Options = {
  signal: AbortSignal
  onDone?: (count: number) => void
  /** Looks for members of this group only. */
  group?: string | undefined
}

/** Looks up pasted names. */
export function namedPeople(names: readonly string[], { signal, onDone, group }: Options) {
  const find = async (lookup: Lookup) => {
    const query = 'user_id' in lookup ? { user_id: [lookup.user_id] } : lookup
    const { users } = await api.users.page({ ...query, ...(group !== undefined && { group }), limit: 1 }, { signal })
    return users[0]
  }
  return lookUp(names, find, onDone)
}
