/** What is shown when a search finds no user: the users with the closest names, and deleted users that match. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import type { User } from 'rollbook/client'
import { closestQuery, deletedMatchesQuery, nameOf } from '../../data/users.ts'
import styles from './near-misses.module.css'

/** Asks only if `isWanted`: after a search that found nothing. */
export function useNearMisses(q: string, isWanted: boolean): { closest: readonly User[]; deleted: number } {
  const isOn = isWanted && q !== ''
  const { data: closest = [] } = useQuery({ ...closestQuery(q), enabled: isOn })
  const { data: deleted = 0 } = useQuery({ ...deletedMatchesQuery(q), enabled: isOn })
  return isOn ? { closest, deleted } : { closest: [], deleted: 0 }
}

type Props = {
  q: string
  /** Picks the user. Left out: the names lead to the users' pages. */
  onPick?: (user: User) => void
}

export function NearMisses({ q, onPick }: Props) {
  const { closest, deleted } = useNearMisses(q, true)
  const names = <Names users={closest} onPick={onPick} />
  return (
    <>
      {closest.length > 0 && (
        <p className={styles.near}>
          <Trans>Did you mean {names}?</Trans>
        </p>
      )}
      {deleted > 0 && (
        <p className={styles.near}>
          {/* In another tab where the page holds input. */}
          <Link to="/deleted-users" search={{ q }} {...(onPick && { target: '_blank' })}>
            <Plural value={deleted} one="# deleted user matches" other="# deleted users match" />
          </Link>
        </p>
      )}
    </>
  )
}

function Names({ users, onPick }: { users: readonly User[]; onPick: Props['onPick'] }) {
  const { i18n } = useLingui()
  const parts = new Intl.ListFormat(i18n.locale, { type: 'disjunction' }).formatToParts(
    users.map(({ user_id }) => user_id),
  )
  return parts.map(({ type, value }) => {
    const user = type === 'element' ? users.find(({ user_id }) => user_id === value) : undefined
    if (user === undefined) return <Fragment key={value}>{value}</Fragment>
    const name = (
      <bdi key={value} title={user.email ?? user.username}>
        {nameOf(user) || user.username}
      </bdi>
    )
    return onPick === undefined ? (
      <Link key={value} to="/users/$userId" params={{ userId: value }}>
        {name}
      </Link>
    ) : (
      <button key={value} type="button" onClick={() => onPick(user)}>
        {name}
      </button>
    )
  })
}
