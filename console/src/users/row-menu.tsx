/** The menu of one row, beside its button. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useRouter } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import type { User } from 'rollbook/client'
import { useCan, useMe } from '../api/me.ts'
import styles from './row-menu.module.css'
import type { UserActions } from './use-user-actions.ts'

type Props = {
  user: User
  anchor: DOMRect
  actions: UserActions
  onClose: () => void
}

const gap = 4

export default function RowMenu({ user, anchor, actions, onClose }: Props) {
  const { t } = useLingui()
  const router = useRouter()
  const menu = useRef<HTMLDivElement>(null)
  const mayWrite = useCan('users:write')
  const mayEndSessions = useCan('sessions:write')
  const isMe = useMe().user_id === user.user_id
  const lacking = (permission: string, isAllowed: boolean) =>
    isAllowed ? undefined : t`Needs the permission ${permission}.`

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
  }, [anchor])

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    const items = itemsOf(event.currentTarget)
    const at = items.indexOf(document.activeElement as HTMLElement)
    const goals: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }
    const goal = goals[event.key]
    if (event.key === 'Tab') onClose()
    else if (goal !== undefined) items.at(goal % items.length)?.focus()
    else return
    event.preventDefault()
  }
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
      onKeyDown={onKeyDown}
      onToggle={({ newState }) => newState === 'closed' && onClose()}
    >
      {item(
        <Trans>Open</Trans>,
        undefined,
        () => void router.navigate({ to: '/users/$userId', params: { userId: user.user_id } }),
      )}
      {item(
        user.active ? <Trans>Disable</Trans> : <Trans>Enable</Trans>,
        lacking('users:write', mayWrite),
        () => void actions.setActive(user, !user.active),
      )}
      {item(
        isMe ? <Trans>Sign out everywhere, here too</Trans> : <Trans>Sign out everywhere</Trans>,
        lacking('sessions:write', mayEndSessions),
        () => void actions.endSessions(user),
      )}
      {item(<Trans>Delete</Trans>, lacking('users:write', mayWrite), () => void actions.remove(user), 'danger')}
    </div>
  )
}

function itemsOf(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>('[role="menuitem"]')]
}
