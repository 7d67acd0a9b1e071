/** The options of `rollbook users bulk`. */

import type { RemoteOptions } from '../server/connect.ts'
import type { FindOptions } from '../server/find-user.ts'
import type { FilterOptions } from '../server/user-filter.ts'
import type { OutputOptions } from '../terminal/output.ts'
import type { WriteOptions } from '../terminal/write-options.ts'

export const actions = ['activate', 'deactivate', 'set-role', 'end-sessions', 'delete', 'restore'] as const
export type Action = (typeof actions)[number]

export type RowOptions = FilterOptions &
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
