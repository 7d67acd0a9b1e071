import { Trans, useLingui } from '@lingui/react/macro'
import { placeOf } from '../../api/base.ts'
import { CopyLine } from '../../ui/copy.tsx'
import { copiedRows, type Guide, type OurValue, type Row } from './guide.ts'
import styles from './guide-steps.module.css'
import { GuideText } from './guide-text.tsx'

export type OurValues = Readonly<Partial<Record<OurValue, string | undefined>>>

type Props = { guide: Guide; values: OurValues }

/** The numbered steps at the provider, with the values to copy where they are needed. */
export function GuideSteps({ guide, values }: Props) {
  return (
    <ol className={styles.steps}>
      {guide.steps.map(({ says, rows = [] }) => (
        <li key={says.id}>
          <p>
            <GuideText>{says}</GuideText>
          </p>
          {rows.length > 0 && <Rows rows={rows} values={values} />}
        </li>
      ))}
    </ol>
  )
}

/** Only the values to copy, under the provider's names. */
export function GuideValues({ guide, values }: Props) {
  return <Rows rows={copiedRows(guide)} values={values} />
}

function Rows({ rows, values }: { rows: readonly Row[]; values: OurValues }) {
  return (
    <dl className={styles.rows}>
      {rows.map((row) => (
        <div key={row.field}>
          <dt>
            <GuideText>{row.field}</GuideText>
            {row.note !== undefined && (
              <span className={styles.note}>
                <GuideText>{row.note}</GuideText>
              </span>
            )}
          </dt>
          <dd>
            <RowValue row={row} values={values} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function RowValue({ row, values }: { row: Row; values: OurValues }) {
  if ('option' in row) return <GuideText>{row.option}</GuideText>
  if ('words' in row) return <GuideText>{row.words}</GuideText>
  const value = values[row.copies]
  if (value !== undefined) return <CopyLine text={value} label={row.field} />
  return <Trans>the key that was shown when it was created; if it is lost, create another</Trans>
}

/** Leads to the provider's console and to our guide, in new tabs. */
export function GuideLinks({ guide: { product, console: address, page, anchor } }: { guide: Guide }) {
  const { t } = useLingui()
  const guide = `${placeOf('docs')}#guide-${page}${anchor === undefined ? '' : `-${anchor}`}`
  return (
    <>
      {product !== undefined && address !== undefined && (
        <a href={address} target="_blank" rel="noreferrer">{t`Open ${product}`}</a>
      )}
      <a href={guide} target="_blank" rel="noopener">
        <Trans>Guide</Trans>
      </a>
    </>
  )
}
