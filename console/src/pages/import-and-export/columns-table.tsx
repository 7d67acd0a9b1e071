import { useLingui } from '@lingui/react/macro'
import { NativeSelect } from '@mantine/core'
import { useAttributes } from '../../data/attributes.ts'
import { useOrganizationsInUse } from '../../data/organizations.ts'
import { type Column, RecordTable } from '../../ui/record-table.tsx'
import { type Mapping, type Member, memberOf, ownMembers } from './columns.ts'
import styles from './imports.module.css'
import { useMemberNames } from './words.tsx'

type Props = { header: readonly string[]; rows: readonly string[][]; mapping: Mapping; onChange: (to: Mapping) => void }

type FileColumn = { place: number; said: string }

const look = { box: styles.tableBox, table: styles.table }

/** The member that each column of the file is imported as. */
export function ColumnsTable({ header, rows, mapping, onChange }: Props) {
  const { t } = useLingui()
  const names = useMemberNames()
  const attributes = (useAttributes() ?? []).map(({ name, label }) => ({ value: memberOf(name), label }))
  const hasOrganizations = useOrganizationsInUse('users:import')
  const own = ownMembers
    // A column that was recognized stays visible.
    .filter((member) => member !== 'organization' || hasOrganizations || mapping.includes(member))
    .map((member) => ({ value: member, label: names[member] }))
  // Without attributes:read, an export of Rollbook still names them.
  const unknown = mapping.flatMap((member) => (member === null || names[member] !== undefined ? [] : [member]))
  const columns: Column<FileColumn>[] = [
    {
      label: t`Column in the file`,
      cell: ({ said }) => (
        <strong>
          <bdi>{said}</bdi>
        </strong>
      ),
    },
    {
      label: t`First rows`,
      className: styles.sample,
      cell: ({ place }) => (
        <bdi>
          {mapping[place] === 'password' || mapping[place] === 'password_hash'
            ? '••••••••'
            : rows
                .map((row) => row[place] ?? '')
                .filter((cell) => cell !== '')
                .slice(0, 3)
                .join(' · ')}
        </bdi>
      ),
    },
    {
      label: t`Imported as`,
      cell: ({ place, said }) => (
        <NativeSelect
          size="sm"
          aria-label={t`What ${said} is imported as`}
          value={mapping[place] ?? ''}
          data={[
            { value: '', label: t`Not imported` },
            ...own,
            ...(attributes.length > 0 ? [{ group: t`Attributes`, items: attributes }] : []),
            ...unknown,
          ]}
          onChange={(event) => {
            const chosen = event.currentTarget.value as Member | ''
            onChange(mapping.map((member, n) => (n === place ? chosen || null : member)))
          }}
        />
      ),
    },
  ]
  const inFile = header.map((name, place) => ({ place, said: name === '' ? t`Column ${place + 1}` : name }))
  return <RecordTable rows={inFile} keyOf={({ place }) => place} columns={columns} look={look} />
}
