/** The options of `rollbook users bulk`. */

import type { BulkChange } from '../../sdk/client/index.ts'
import type { RemoteOptions } from '../server/connect.ts'
import type { FindOptions } from '../server/find-user.ts'
import type { DeletedFilterOptions, FilterOptions } from '../server/user-filter.ts'
import type { OutputOptions } from '../terminal/output.ts'
import type { WriteOptions } from '../terminal/write-options.ts'

export const actions = [
  'enable',
  'disable',
  'set-role',
  'set-attribute',
  'set-locale',
  'set-end-date',
  'set-organization',
  'add-to-group',
  'remove-from-group',
  'end-sessions',
  'delete',
  'restore',
  'invite',
] as const
export type Action = (typeof actions)[number]

/** The API's names of the actions. The command accepts them too, as before. */
export const wireActions = {
  enable: 'activate',
  disable: 'deactivate',
  'set-role': 'set_role',
  'set-attribute': 'set_attribute',
  'set-locale': 'set_locale',
  'set-end-date': 'set_expires_at',
  'set-organization': 'set_organization',
  'add-to-group': 'add_to_group',
  'remove-from-group': 'remove_from_group',
  'end-sessions': 'end_sessions',
  delete: 'delete',
  restore: 'restore',
  invite: 'invite',
} as const satisfies Record<Action, BulkChange['action']>

export const rowColumns = ['user_id', 'username', 'verdict', 'code', 'detail'] as const

/** With links to hand over. */
export const invitationColumns = {
  all: [...rowColumns, 'url', 'expires_at'],
  shown: ['username', 'verdict', 'url', 'code', 'detail'],
} as const

export type RowOptions = FilterOptions &
  DeletedFilterOptions &
  FindOptions &
  WriteOptions &
  OutputOptions &
  RemoteOptions & {
    to?: string
    /** New values of attributes, as texts. */
    set?: Readonly<Record<string, string>>
    /** Attributes that lose their value. */
    unset?: string[]
    /** The name or id of the group to join or leave. */
    group?: string
    fromFile?: string
    all?: true
    except?: string[]
    rows: 'all' | 'refused'
    printUrl?: true
    resend?: true
    /** A file for the ids of the changed users, or for their former values. */
    saveChanged?: string
  }
