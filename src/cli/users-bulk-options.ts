/** The options of `rollbook users bulk`. */
import type { FindOptions } from './find-user.ts'
import type { OutputOptions } from './output.ts'
import type { RemoteOptions } from './remote.ts'
import type { FilterOptions } from './user-filters.ts'
import type { WriteOptions } from './write-options.ts'

export const actions = ['activate', 'deactivate', 'set-role', 'end-sessions', 'delete', 'restore'] as const
export type Action = (typeof actions)[number]

export type BulkOptions = FilterOptions &
  FindOptions &
  WriteOptions &
  OutputOptions &
  RemoteOptions & {
    to?: string
    fromFile?: string
    all?: true
    except?: string[]
    rows: 'all' | 'refused'
  }
