import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useCan } from '../../api/me.ts'
import { type Column, plainLook, RecordTable } from '../../ui/record-table.tsx'
import { Role } from '../../ui/user-state.tsx'
import styles from './group.module.css'
import type { Sourced } from './sources.ts'

type Source = Sourced['sources'][number]

/** Each permission with the role that gives it, and the group that gives the role. */
export function PermissionSources({ rows }: { rows: readonly Sourced[] }) {
  const { t } = useLingui()
  const columns: Column<Sourced>[] = [
    {
      label: t`Permission`,
      kind: 'name',
      cell: ({ permission }) =>
        permission === '*' ? (
          <Trans>Full access</Trans>
        ) : (
          <code dir="ltr" className={styles.permission}>
            {permission}
          </code>
        ),
    },
    {
      label: t`From`,
      cell: ({ sources }) => (
        <ul className={styles.sources}>
          {sources.map((source) => (
            <li key={`${source.group?.group_id} ${source.role}`}>
              <From source={source} />
            </li>
          ))}
        </ul>
      ),
    },
  ]
  return <RecordTable rows={rows} keyOf={({ permission }) => permission} columns={columns} look={plainLook} />
}

function From({ source: { role, group } }: { source: Source }) {
  if (group === null)
    return (
      <Trans>
        Own role <Role role={role} />
      </Trans>
    )
  return (
    <Trans>
      Role <Role role={role} /> through the group <GroupLink groupId={group.group_id} name={group.name} />
    </Trans>
  )
}

/** A link, if the viewer may open the group. */
export function GroupLink({ groupId, name }: { groupId: string; name: string }) {
  const mayRead = useCan('groups:read')
  if (!mayRead) return <bdi>{name}</bdi>
  return (
    <Link to="/groups/$groupId" params={{ groupId }} dir="auto" className={styles.link ?? ''}>
      {name}
    </Link>
  )
}
