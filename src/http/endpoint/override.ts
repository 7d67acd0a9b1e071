/** `?override=true`: a change of what a configuration file manages (store/managed-by-file.ts). */
import type { FastifyRequest } from 'fastify'
import { writeQuery } from './change.ts'

export const overrideQuery = {
  ...writeQuery,
  properties: {
    ...writeQuery.properties,
    override: {
      type: 'boolean',
      description:
        'Change it although a configuration file manages it (`managed_by` is `file`). The next plan of the file reports the change as drift, and its apply undoes it.',
    },
  },
} as const

export function overrides({ query }: Pick<FastifyRequest, 'query'>): boolean {
  return (query as { override?: boolean }).override ?? false
}
