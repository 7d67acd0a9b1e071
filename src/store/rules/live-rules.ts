/** The rules in force in one thread: those of the settings, with what is stored as of the last look. */
import type { Rules } from '../../core/rules.ts'
import { countOf, rulesWith, type StoredRules } from './stored-rules.ts'

export type LiveRules = {
  /** Its members are those in force at each moment. */
  readonly view: Rules
  /** As of now; later changes make another object. */
  current(): { rules: Rules; version: string | undefined }
  apply(stored: StoredRules): void
  /** The same, unless a newer state is known: announcements of several changes can arrive in another order than the commits. */
  applyIfNewer(stored: StoredRules): void
}

export function liveRules(settings: Rules): LiveRules {
  let current: { rules: Rules; version: string | undefined } = { rules: settings, version: undefined }
  const view = {} as Rules
  for (const member of Object.keys(settings)) {
    Object.defineProperty(view, member, { enumerable: true, get: () => current.rules[member as keyof Rules] })
  }
  const apply = (stored: StoredRules) => {
    current = { rules: rulesWith(settings, stored), version: stored.version }
  }
  return {
    view,
    current: () => current,
    apply,
    applyIfNewer(stored) {
      if (current.version === undefined || countOf(stored.version) > countOf(current.version)) apply(stored)
    },
  }
}
