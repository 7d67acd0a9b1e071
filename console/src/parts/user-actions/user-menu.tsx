/** The actions on one user, in a menu beside its button: of a row in the list, or on the user's page. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef } from 'react'
import type { User } from 'rollbook/client'
import { useCan, useMe } from '../../api/me.ts'
import { signInQuery } from '../../data/users.ts'
import type { UserActions } from './use-user-actions.ts'
import type { UserDialog } from './user-dialogs.tsx'
import styles from './user-menu.module.css'

type Props = {
  user: User
  anchor: DOMRect
  /** Whether the user's page is open, which shows the role and the ID. */
  isOnPage?: boolean
  actions: UserActions
  onDialog: (dialog: UserDialog) => void
  onDelete: (user: User) => void
  onClose: () => void
}

const gap = 4

export default function UserMenu({ user, anchor, isOnPage = false, actions, onDialog, onDelete, onClose }: Props) {
  const { t } = useLingui()
  const router = useRouter()
  const menu = useRef<HTMLDivElement>(null)
  const mayWrite = useCan('users:write', user)
  const mayEndSessions = useCan('sessions:write', user)
  const mayImpersonate = useCan('users:impersonate', user)
  const me = useMe()
  const isMe = me.user_id === user.user_id
  const isPerson = user.kind !== 'service'
  // Whom their company signs in needs no password.
  const { data: signIn } = useQuery({
    ...signInQuery(user.user_id),
    enabled: isPerson && user.managed_by !== undefined && !user.has_password && user.active,
  })

  usePopoverAt(anchor, menu)

  const item = (label: ReactNode, reason: string | undefined, run: () => void, kind?: 'danger') => (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      className={styles.item}
      data-kind={kind}
      aria-disabled={reason !== undefined}
      title={reason}
      onClick={() => {
        if (reason !== undefined) return
        onClose()
        run()
      }}
    >
      {label}
    </button>
  )
  return (
    <div
      ref={menu}
      popover="auto"
      role="menu"
      tabIndex={-1}
      aria-label={t`Actions for ${user.username}`}
      className={styles.menu}
      onKeyDown={(event) => moveFocus(event, onClose)}
      onToggle={({ newState }) => newState === 'closed' && onClose()}
    >
      {!isOnPage &&
        item(
          <Trans>Open user</Trans>,
          undefined,
          () => void router.navigate({ to: '/users/$userId', params: { userId: user.user_id } }),
        )}
      {mayWrite &&
        isPerson &&
        !isMe &&
        item(user.has_password ? <Trans>Reset password</Trans> : <Trans>Set password</Trans>, undefined, () =>
          onDialog({ kind: 'password', user }),
        )}
      {mayWrite &&
        isPerson &&
        !isMe &&
        !user.has_password &&
        user.active &&
        (user.managed_by === undefined || signIn?.cause === 'no_password') &&
        item(user.invited === true ? <Trans>Invite again</Trans> : <Trans>Invite</Trans>, undefined, () =>
          onDialog({ kind: 'invite', user }),
        )}
      {mayWrite && !isOnPage && item(<Trans>Change role</Trans>, undefined, () => onDialog({ kind: 'role', user }))}
      {mayEndSessions &&
        isPerson &&
        item(
          isMe ? <Trans>Sign out everywhere, here too</Trans> : <Trans>Sign out everywhere</Trans>,
          undefined,
          () => void actions.endSessions(user),
        )}
      {isPerson &&
        mayImpersonate &&
        me.act === undefined &&
        !isMe &&
        item(<Trans>Act as this user</Trans>, user.active ? undefined : t`The user is disabled.`, () =>
          onDialog({ kind: 'impersonation', user }),
        )}
      {!isOnPage && item(<Trans>Copy ID</Trans>, undefined, () => void actions.copyId(user))}
      {mayWrite &&
        item(
          !user.active ? (
            <Trans>Enable user</Trans>
          ) : isMe ? (
            <Trans>Disable, and sign out here</Trans>
          ) : (
            <Trans>Disable user</Trans>
          ),
          undefined,
          () => void actions.setActive(user, !user.active),
        )}
      {mayWrite && item(<Trans>Delete user</Trans>, undefined, () => onDelete(user), 'danger')}
    </div>
  )
}

function itemsOf(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>('[role="menuitem"]')]
}

/** Moves the focus among the items. */
function moveFocus(event: KeyboardEvent<HTMLDivElement>, onClose: () => void): void {
  const items = itemsOf(event.currentTarget)
  const at = items.indexOf(document.activeElement as HTMLElement)
  const goals: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }
  const goal = goals[event.key]
  if (event.key === 'Tab') onClose()
  else if (goal !== undefined) items.at(goal % items.length)?.focus()
  else return
  event.preventDefault()
}

/** Opens the menu beside its button, and returns the focus when it closes. */
function usePopoverAt(anchor: DOMRect, menu: RefObject<HTMLDivElement | null>): void {
  useEffect(() => {
    const element = menu.current
    if (element === null) return
    const before = document.activeElement
    element.showPopover()
    const { offsetWidth, offsetHeight } = element
    const isRtl = document.documentElement.dir === 'rtl'
    const left = isRtl ? anchor.left : anchor.right - offsetWidth
    const isRoomBelow = anchor.bottom + gap + offsetHeight < window.innerHeight
    element.style.left = `${Math.max(gap, Math.min(left, window.innerWidth - offsetWidth - gap))}px`
    element.style.top = `${isRoomBelow ? anchor.bottom + gap : anchor.top - gap - offsetHeight}px`
    itemsOf(element)[0]?.focus({ preventScroll: true })
    return () => {
      const { activeElement } = document
      const isLost = activeElement === null || activeElement === document.body || element.contains(activeElement)
      if (isLost && before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
  }, [anchor, menu])
}
