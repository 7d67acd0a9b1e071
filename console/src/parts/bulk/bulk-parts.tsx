/** Parts shared by several steps of the bulk dialog. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Stack } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { timeLeft } from '../../lib/rate.ts'
import { Duration } from '../../ui/duration.tsx'
import { formatNumber } from '../../ui/number.ts'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { saveFile } from '../../ui/save-file.ts'
import styles from './bulk-dialog.module.css'
import type { BulkState } from './bulk-run.ts'
import type { BulkWords } from './bulk-words.tsx'

/** Focuses the button that continues, because the focused one was removed. */
export function Focused({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const primary = box.current?.querySelector<HTMLButtonElement>('[data-primary]:not(:disabled)')
    const any = box.current?.querySelector<HTMLButtonElement>('button:not(:disabled)')
    ;(primary ?? any)?.focus()
  }, [])
  return (
    <Stack ref={box} gap="md">
      {children}
    </Stack>
  )
}

export function Progress({ label, state: { done, total, perSecond } }: { label: string; state: BulkState }) {
  const { i18n } = useLingui()
  const left = timeLeft(done, total, perSecond)
  return (
    <ProgressBar label={label} done={done} total={total}>
      <span>
        {total === undefined ? (
          <Plural value={done} one="# user" other="# users" />
        ) : (
          <Trans>
            {formatNumber(done, i18n.locale)} of {formatNumber(total, i18n.locale)} users
          </Trans>
        )}
      </span>
      {perSecond !== undefined && (
        <span>
          <Trans>{formatNumber(Math.round(perSecond), i18n.locale)} users a second</Trans>
        </span>
      )}
      {left !== undefined && (
        <span>
          <Trans>
            <Duration seconds={left} /> left
          </Trans>
        </span>
      )}
    </ProgressBar>
  )
}

type TilesProps = {
  words: Pick<BulkWords, 'already'>
  changed: [label: string, count: number]
  unchanged: number
  refused: number
}

/** How many users are or would be changed, unchanged and refused. */
export function Tiles({ words, changed, unchanged, refused }: TilesProps) {
  const { t, i18n } = useLingui()
  const tiles: [string, number][] = [changed, [words.already, unchanged], [t`Refused`, refused]]
  const visible = tiles.filter(([label, count]) => label !== words.already || count > 0)
  return (
    <div role="status">
      <dl className={styles.tiles}>
        {visible.map(([label, count]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{formatNumber(count, i18n.locale)}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

/** How many service accounts are among the users of a change for people. */
export function LeftOut({ count }: { count: number }) {
  if (count === 0) return null
  return (
    <p className={styles.note}>
      <Plural
        value={count}
        one="# service account is left out: it cannot sign in."
        other="# service accounts are left out: they cannot sign in."
      />
    </p>
  )
}

export function Refusals({ result }: { result: BulkState & { toCsv?: () => Blob } }) {
  const { i18n } = useLingui()
  const { refused, refusals, toCsv } = result
  if (refused === 0) return null
  return (
    <section className={styles.refusals}>
      <h3>
        <Plural value={refused} one="# user is refused" other="# users are refused" />
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keys too. */}
      <ul tabIndex={0}>
        {refusals.map(({ user_id, username, detail }) => (
          <li key={user_id}>
            <strong>
              <bdi>{username ?? user_id}</bdi>
            </strong>{' '}
            {detail}
          </li>
        ))}
      </ul>
      {refused > refusals.length && (
        <p className={styles.note}>
          <Trans>The first {formatNumber(refusals.length, i18n.locale)} are shown; the file has all of them.</Trans>
        </p>
      )}
      {toCsv !== undefined && refused > 5 && (
        <Button size="xs" variant="default" onClick={() => saveFile(toCsv(), 'refused.csv')}>
          <Trans>Download as CSV</Trans>
        </Button>
      )}
    </section>
  )
}
