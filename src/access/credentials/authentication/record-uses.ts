import type { Job } from '../../../store/jobs/rounds.ts'
import type { Storage } from '../../../store/storage/storage.ts'
import type { Authenticator } from './authenticate.ts'

/** A larger transaction would delay others. */
const atOnce = 500

type Uses = ReturnType<Authenticator['takeUses']>

/** Stores when keys and sessions were last used. What cannot be stored now is kept for the next round. */
export function recordUses(storage: Storage, authenticator: Pick<Authenticator, 'takeUses'>): Job {
  const keys = new Map<string, Uses['keys'][number]>()
  const sessions = new Map<string, Uses['sessions'][number]>()
  return async ({ request }) => {
    const taken = authenticator.takeUses()
    for (const use of taken.keys) keys.set(use.key_id, use)
    for (const use of taken.sessions) sessions.set(use.session_id, use)
    if (keys.size > 0) await storage.change('keys.record_use', [...keys.values()], request)
    keys.clear()
    for (const some of pieces([...sessions.values()], atOnce)) {
      await storage.change('sessions.record_use', some, request)
      for (const { session_id } of some) sessions.delete(session_id)
    }
  }
}

function pieces<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size))
}
