/** The names of members and actions on the page. */
import { useLingui } from '@lingui/react/macro'
import { actionWords } from '../audit/action-words.ts'
import type { Details } from './changes.ts'

export function useMemberLabels(): Record<keyof Details, string> {
  const { t } = useLingui()
  return {
    username: t`Username`,
    first_name: t`First name`,
    last_name: t`Last name`,
    email: t`Email`,
    external_id: t`External ID`,
    locale: t`Language`,
    role: t`Role`,
    active: t`Active`,
  }
}

/** Returns the words for the action of a record about one user: shorter where the page says that it is about a user. */
export function useActionWords(): (action: string, outcome: string) => string {
  const { t, i18n } = useLingui()
  return (action, outcome) => {
    if (action === 'session.created') return outcome === 'success' ? t`Signed in` : t`Sign-in refused`
    const words: Record<string, string> = {
      'user.created': t`Created`,
      'user.updated': t`Changed`,
      'user.deleted': t`Deleted`,
      'user.restored': t`Restored`,
      'user.expired': t`Access ended`,
      'user.erased': t`Erased`,
      'user.unlocked': t`Unlocked`,
      'session.ended': t`Session ended`,
    }
    const general = actionWords(action)
    return words[action] ?? (general === undefined ? action : i18n._(general))
  }
}
