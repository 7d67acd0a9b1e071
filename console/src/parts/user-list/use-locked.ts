import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { lockedQuery } from '../../data/users.ts'

/** The users whose sign-in must wait now. User records do not contain this, so it is read separately. */
export function useLocked(): ReadonlySet<string> {
  const { data } = useQuery(lockedQuery)
  return useMemo(() => new Set(data), [data])
}
