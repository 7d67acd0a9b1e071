/** The result for each user, or the result of a dry run. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { Tiles } from '../../parts/bulk/bulk-parts.tsx'
import styles from '../../parts/user-finder/members.module.css'
import { formatNumber } from '../../ui/number.ts'
import { saveFile } from '../../ui/save-file.ts'
import { State } from '../../ui/state.tsx'
import { countRows, inOrder, type Kind, type MemberRow, toCsv } from './member-run.ts'

type Props = { kind: Kind; rows: readonly MemberRow[]; isPlan: boolean }

const mostShown = 200

export function MemberRows({ kind, rows, isPlan }: Props) {
  const { t, i18n } = useLingui()
  const words = useResultWords(kind, isPlan)
  const { changed, unchanged, refused } = countRows(rows)
  const visible = inOrder(rows).slice(0, mostShown)
  return (
    <>
      <Tiles
        words={{ already: words.unchanged }}
        changed={[kind === 'add' ? words.added : words.removed, changed]}
        unchanged={unchanged}
        refused={refused}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keys too. */}
      <ul className={styles.rows} tabIndex={0} aria-label={t`Each user`}>
        {visible.map(({ name, user_id, result, detail }) => (
          <li key={user_id ?? name}>
            <strong>
              <bdi>{name}</bdi>
            </strong>
            <State kind={kinds[result]}>{words[result]}</State>
            {detail !== undefined && <span className={styles.detail}>{detail}</span>}
          </li>
        ))}
      </ul>
      {rows.length > visible.length && (
        <p className={styles.note}>
          <Trans>The first {formatNumber(visible.length, i18n.locale)} are shown; the file has all of them.</Trans>
        </p>
      )}
      {rows.length > 5 && (
        <Button
          size="xs"
          variant="default"
          className={styles.file ?? ''}
          onClick={() => saveFile(toCsv(rows), isPlan ? 'preview.csv' : 'results.csv')}
        >
          <Trans>Download as CSV</Trans>
        </Button>
      )}
    </>
  )
}

const kinds = {
  added: 'good',
  removed: 'good',
  changed: 'good',
  unchanged: 'off',
  refused: 'fault',
  unknown: 'fault',
} as const

function useResultWords(kind: Kind, isPlan: boolean): Record<MemberRow['result'], string> {
  const { t } = useLingui()
  return {
    added: isPlan ? t`Would be added` : t`Added`,
    removed: isPlan ? t`Would be removed` : t`Removed`,
    changed: isPlan ? t`End date would change` : t`End date changed`,
    unchanged: kind === 'add' ? t`Already a member` : t`Not a member`,
    refused: t`Refused`,
    unknown: t`No such user`,
  }
}
