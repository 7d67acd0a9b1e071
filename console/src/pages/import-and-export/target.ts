/** What the columns of a file can be mapped to, and the first guess. */
import { useQueryClient } from '@tanstack/react-query'
import { useCan } from '../../api/me.ts'
import { attributesQuery } from '../../data/attributes.ts'
import { guessMapping, type Mapping, type Target } from './columns.ts'
import { type Glance, hasColumns, type Shape, sampleOf } from './shape.ts'
import { useOwnMemberNames } from './words.tsx'

/** Returns a function that reads the definitions of attributes, if the caller may. */
export function useTarget(): () => Promise<Target> {
  const queries = useQueryClient()
  const mayRead = useCan('attributes:read')
  const labels = useOwnMemberNames()
  return async () => ({ labels, attributes: mayRead ? await queries.fetchQuery(attributesQuery) : undefined })
}

export function mappingFor(glance: Glance, shape: Shape, target: Target): Mapping {
  return hasColumns(shape) ? guessMapping(sampleOf(glance, shape).header, target) : []
}
