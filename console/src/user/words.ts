/** The names of members and actions on the page. */
import { useLingui } from '@lingui/react/macro'
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

/** Returns the words for the action of an audit record, or the action itself if it has none. */
export function useActionWords(): (action: string, outcome: string) => string {
  const { t } = useLingui()
  return (action, outcome) => {
    if (action === 'session.created') return outcome === 'success' ? t`Signed in` : t`Sign-in refused`
    const words: Record<string, string> = {
      'user.created': t`Created`,
      'user.updated': t`Changed`,
      'user.deleted': t`Deleted`,
      'user.restored': t`Restored`,
      'user.erased': t`Erased`,
      'user.password_set': t`Password set`,
      'user.unlocked': t`Unlocked`,
      'user.impersonated': t`Acted as the user`,
      'user.sessions_ended': t`Signed out everywhere`,
      'session.ended': t`Session ended`,
      'group.member_added': t`Added to a group`,
      'group.member_removed': t`Removed from a group`,
      'authorization.refused': t`Request refused`,
    }
    return words[action] ?? action
  }
}
