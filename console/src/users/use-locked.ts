import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { lockedQuery } from '../user/queries.ts'

/** The users whose sign-in must wait now. No change of a user says so, so they are read beside the list. */
export function useLocked(): ReadonlySet<string> {
  const { data } = useQuery(lockedQuery)
  return useMemo(() => new Set(data), [data])
}
