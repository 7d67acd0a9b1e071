import { Trans, useLingui } from '@lingui/react/macro'
import { NativeSelect } from '@mantine/core'
import { type Mapping, type Member, members } from './columns.ts'
import styles from './imports.module.css'
import { useMemberNames } from './words.tsx'

type Props = { header: readonly string[]; rows: readonly string[][]; mapping: Mapping; onChange: (to: Mapping) => void }

/** What each column of the file says of a user. */
export function ColumnsTable({ header, rows, mapping, onChange }: Props) {
  const { t } = useLingui()
  const names = useMemberNames()
  return (
    <div className={styles.tableBox}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">
              <Trans>Column in the file</Trans>
            </th>
            <th scope="col">
              <Trans>First rows</Trans>
            </th>
            <th scope="col">
              <Trans>Imported as</Trans>
            </th>
          </tr>
        </thead>
        <tbody>
          {header.map((name, column) => {
            const said = name === '' ? t`Column ${column + 1}` : name
            const isSecret = mapping[column] === 'password' || mapping[column] === 'password_hash'
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have the same name.
              <tr key={column}>
                <td data-label={t`Column in the file`}>
                  <strong>
                    <bdi>{said}</bdi>
                  </strong>
                </td>
                <td data-label={t`First rows`} className={styles.sample}>
                  <bdi>
                    {isSecret
                      ? '••••••••'
                      : rows
                          .map((row) => row[column] ?? '')
                          .filter((cell) => cell !== '')
                          .slice(0, 3)
                          .join(' · ')}
                  </bdi>
                </td>
                <td data-label={t`Imported as`}>
                  <NativeSelect
                    size="sm"
                    aria-label={t`What ${said} is imported as`}
                    value={mapping[column] ?? ''}
                    data={[
                      { value: '', label: t`Not imported` },
                      ...members.map((member) => ({ value: member, label: names[member] })),
                    ]}
                    onChange={(event) => {
                      const chosen = event.currentTarget.value as Member | ''
                      onChange(mapping.map((member, n) => (n === column ? chosen || null : member)))
                    }}
                  />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
