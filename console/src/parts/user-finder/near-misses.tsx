/** What is shown when a search finds no user: how many deleted users match. */
import { Plural } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { deletedMatchesQuery } from '../../data/users.ts'
import styles from './near-misses.module.css'

/** Asks only if `isWanted`: after a search that found nothing. */
export function useNearMisses(q: string, isWanted: boolean): { deleted: number } {
  const isOn = isWanted && q !== ''
  const { data: deleted = 0 } = useQuery({ ...deletedMatchesQuery(q), enabled: isOn })
  return { deleted: isOn ? deleted : 0 }
}

export function NearMisses({ q, isInDialog = false }: { q: string; isInDialog?: boolean }) {
  const { deleted } = useNearMisses(q, true)
  if (deleted === 0) return null
  return (
    <p className={styles.near}>
      {/* In another tab where the page holds input. */}
      <Link to="/deleted-users" search={{ q }} {...(isInDialog && { target: '_blank' })}>
        <Plural value={deleted} one="# deleted user matches" other="# deleted users match" />
      </Link>
    </p>
  )
}
