import { Plural, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import type { BulkAction } from './selection.ts'

export type BulkWords = {
  title: string
  would: string
  done: string
  already: string
  button: (count: number) => ReactNode
}

/** What a change for many is called, before and afterwards. */
export function useBulkWords(action: BulkAction): BulkWords {
  const { t } = useLingui()
  const words: Record<BulkAction, BulkWords> = {
    deactivate: {
      title: t`Disable users`,
      would: t`Would be disabled`,
      done: t`Disabled`,
      already: t`Disabled already`,
      button: (count) => <Plural value={count} one="Disable # user" other="Disable # users" />,
    },
    activate: {
      title: t`Enable users`,
      would: t`Would be enabled`,
      done: t`Enabled`,
      already: t`Enabled already`,
      button: (count) => <Plural value={count} one="Enable # user" other="Enable # users" />,
    },
    set_role: {
      title: t`Give a role`,
      would: t`Would get the role`,
      done: t`Got the role`,
      already: t`Have it already`,
      button: (count) => <Plural value={count} one="Give the role to # user" other="Give the role to # users" />,
    },
    end_sessions: {
      title: t`Sign users out`,
      would: t`Would be signed out`,
      done: t`Signed out`,
      already: t`Not signed in`,
      button: (count) => <Plural value={count} one="Sign # user out" other="Sign # users out" />,
    },
    delete: {
      title: t`Delete users`,
      would: t`Would be deleted`,
      done: t`Deleted`,
      already: t`Deleted already`,
      button: (count) => <Plural value={count} one="Delete # user" other="Delete # users" />,
    },
    restore: {
      title: t`Restore users`,
      would: t`Would be restored`,
      done: t`Restored`,
      already: t`There already`,
      button: (count) => <Plural value={count} one="Restore # user" other="Restore # users" />,
    },
  }
  return words[action]
}
