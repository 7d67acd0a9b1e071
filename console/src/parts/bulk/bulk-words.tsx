import { Plural, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import type { BulkAction } from './selection.ts'

export type BulkWords = {
  title: string
  would: string
  done: string
  already: string
  /** The button that includes managed users. */
  anyway: string
  button: (count: number) => ReactNode
}

/** The words for a bulk change, before and after it. */
export function useBulkWords(action: BulkAction): BulkWords {
  const { t } = useLingui()
  const ofValue = useWordsOfValue()
  const words: Record<BulkAction, BulkWords> = {
    deactivate: {
      title: t`Disable users`,
      would: t`Would be disabled`,
      done: t`Disabled`,
      already: t`Already disabled`,
      anyway: t`Disable anyway`,
      button: (count) => <Plural value={count} one="Disable # user" other="Disable # users" />,
    },
    activate: {
      title: t`Enable users`,
      would: t`Would be enabled`,
      done: t`Enabled`,
      already: t`Already enabled`,
      anyway: t`Enable anyway`,
      button: (count) => <Plural value={count} one="Enable # user" other="Enable # users" />,
    },
    set_role: {
      title: t`Change role`,
      would: t`Role would change`,
      done: t`Role changed`,
      already: t`Already have it`,
      anyway: t`Change anyway`,
      button: (count) => <Plural value={count} one="Change the role of # user" other="Change the role of # users" />,
    },
    set_attribute: {
      title: t`Set an attribute`,
      ...ofValue,
    },
    set_locale: {
      title: t`Change language`,
      ...ofValue,
    },
    set_expires_at: {
      title: t`Set an end date`,
      ...ofValue,
    },
    set_organization: {
      title: t`Change the organization`,
      ...ofValue,
    },
    add_to_group: {
      title: t`Add to a group`,
      would: t`Would be added`,
      done: t`Added`,
      already: t`Already a member`,
      anyway: t`Add anyway`,
      button: (count) => <Plural value={count} one="Add # user" other="Add # users" />,
    },
    remove_from_group: {
      title: t`Remove from a group`,
      would: t`Would be removed`,
      done: t`Removed`,
      already: t`Not a member`,
      anyway: t`Remove anyway`,
      button: (count) => <Plural value={count} one="Remove # user" other="Remove # users" />,
    },
    end_sessions: {
      title: t`Sign users out`,
      would: t`Would be signed out`,
      done: t`Signed out`,
      already: t`Not signed in`,
      anyway: t`Sign out anyway`,
      button: (count) => <Plural value={count} one="Sign # user out" other="Sign # users out" />,
    },
    delete: {
      title: t`Delete users`,
      would: t`Would be deleted`,
      done: t`Deleted`,
      already: t`Already deleted`,
      anyway: t`Delete anyway`,
      button: (count) => <Plural value={count} one="Delete # user" other="Delete # users" />,
    },
    invite: {
      title: t`Invite users`,
      would: t`Would be invited`,
      done: t`Invited`,
      already: t`Invited already`,
      anyway: t`Invite anyway`,
      button: (count) => <Plural value={count} one="Invite # user" other="Invite # users" />,
    },
    restore: {
      title: t`Restore users`,
      would: t`Would be restored`,
      done: t`Restored`,
      already: t`Not deleted`,
      anyway: t`Restore anyway`,
      button: (count) => <Plural value={count} one="Restore # user" other="Restore # users" />,
    },
  }
  return words[action]
}

/** The words for one member of the user that is set to a value. */
function useWordsOfValue(): Omit<BulkWords, 'title'> {
  const { t } = useLingui()
  return {
    would: t`Would be changed`,
    done: t`Changed`,
    already: t`Already have the value`,
    anyway: t`Change anyway`,
    button: (count) => <Plural value={count} one="Change # user" other="Change # users" />,
  }
}
