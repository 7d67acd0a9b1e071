/** The actions on one user, in the list and on the user's page. They are shown at once and reverted if they are refused. */
import { useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { RollbookError, type User } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { confirming } from '../../api/confirm.ts'
import { userKey } from '../../data/users.ts'
import { copyText } from '../../ui/copy-text.ts'
import { detailOf } from '../../ui/problem.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { patchUser } from './patch-user.ts'

export type UserActions = {
  setActive: (user: User, active: boolean) => Promise<void>
  endSessions: (user: User) => Promise<void>
  copyId: (user: User) => Promise<void>
  remove: (user: User) => Promise<void>
}

export function useUserActions(): { actions: UserActions; going: ReadonlySet<string> } {
  const { t } = useLingui()
  const client = useQueryClient()
  const [going, setGoing] = useState<ReadonlySet<string>>(new Set())
  const sayFault = (error: unknown) =>
    showToast({ kind: 'fault', message: detailOf(error, t`The service cannot be reached. Nothing was changed.`) })
  const readAgain = () => client.invalidateQueries({ queryKey: ['users'] })

  async function setActive(user: User, active: boolean, override = false) {
    patchUser(client, user.user_id, { active })
    try {
      patchUser(
        client,
        user.user_id,
        await confirming(() => api.users.update(user.user_id, { active }, { ...(override && { override }) })),
      )
      // Also where the list shows only active users: rows must not vanish under the pointer.
      await client.invalidateQueries({ queryKey: ['users'], refetchType: 'none' })
      void client.invalidateQueries({ queryKey: userKey(user.user_id) })
      showToast({
        message: active
          ? t`${user.username} is enabled.`
          : user.kind === 'service'
            ? t`${user.username} is disabled.`
            : t`${user.username} is disabled and signed out.`,
        action: { label: t`Undo`, onClick: () => void setActive({ ...user, active }, !active, override) },
      })
    } catch (error) {
      patchUser(client, user.user_id, { active: user.active })
      if (error instanceof RollbookError && error.code === 'managed_elsewhere') offerOverride(error, user, active)
      else sayFault(error)
    }
  }

  function offerOverride(error: RollbookError, user: User, active: boolean) {
    showToast({
      kind: 'fault',
      message: error.message,
      action: {
        label: active ? t`Enable anyway` : t`Disable anyway`,
        onClick: () => void setActive(user, active, true),
      },
    })
  }

  async function endSessions({ user_id, username }: User) {
    try {
      await confirming(() => api.sessions.endAllOf(user_id))
      void client.invalidateQueries({ queryKey: userKey(user_id) })
      showToast({ message: t`${username} is signed out everywhere.` })
    } catch (error) {
      sayFault(error)
    }
  }

  async function copyId({ user_id, username }: User) {
    try {
      await copyText(user_id)
      showToast({ message: t`The ID of ${username} is copied.` })
    } catch {
      showToast({ kind: 'fault', message: t`The browser did not copy it. The ID is ${user_id}.` })
    }
  }

  async function remove({ user_id, username }: User) {
    setGoing((now) => new Set([...now, user_id]))
    try {
      await confirming(() => api.users.delete(user_id))
      showToast({
        message: t`${username} was deleted. A database account with this name, if there is one, is unchanged.`,
        action: { label: t`Undo`, onClick: () => void restore(user_id, username) },
      })
      await readAgain()
    } catch (error) {
      sayFault(error)
    } finally {
      setGoing((now) => new Set([...now].filter((one) => one !== user_id)))
    }
  }

  async function restore(userId: string, username: string) {
    try {
      await confirming(() => api.users.restore(userId))
      showToast({ message: t`${username} was restored.` })
      await readAgain()
    } catch (error) {
      sayFault(error)
    }
  }

  return { actions: { setActive, endSessions, copyId, remove }, going }
}
