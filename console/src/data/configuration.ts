import { queryOptions } from '@tanstack/react-query'
import type { ConfigurationHistory } from 'rollbook/client'
import { api } from '../api/client.ts'

export type Apply = ConfigurationHistory['applies'][number]
export type Drift = ConfigurationHistory['drift'][number]

export const configurationQuery = queryOptions({
  queryKey: ['configuration'],
  queryFn: ({ signal }) => api.configuration.history({ signal }),
})

/** The file of the running system, as YAML. */
export function exportConfiguration(): Promise<string> {
  return api.configuration.text()
}
