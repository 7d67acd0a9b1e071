/** The table of all pages but the list of users. Where it is narrow, each row is a card. */
import { type ReactNode, useId, useState } from 'react'
import { openingRow } from './open-row.ts'
import styles from './records.module.css'

/** The details of a row, which can be shown below it. */
export type Disclosure = { isOpen: boolean; toggle: () => void; id: string }

export type Column<Row> = {
  label: string
  cell: (row: Row, details: Disclosure) => ReactNode
  /** `name`: heads the card, without a label. `actions`: its label is for screen readers only. */
  kind?: 'name' | 'actions'
  className?: string | undefined
}

type Look = { box: string | undefined; table: string | undefined }

type Props<Row> = {
  rows: readonly Row[]
  keyOf: (row: Row) => string | number
  columns: readonly Column<Row>[]
  caption?: string
  look?: Look
  /** A click anywhere in a row presses the element with `data-opens` in it. */
  isOpening?: boolean
  /** Shown below a row after its button calls `toggle`. */
  details?: (row: Row) => ReactNode
}

const ownLook: Look = { box: styles.box, table: styles.table }
/** Without a frame, for tables that are on a card already. */
export const plainLook: Look = { box: styles.box, table: `${styles.table} ${styles.plain}` }

export function RecordTable<Row>({ rows, keyOf, columns, caption, look = ownLook, ...rowProps }: Props<Row>) {
  return (
    <div className={look.box}>
      <table className={look.table}>
        {caption !== undefined && <caption className="visually-hidden">{caption}</caption>}
        <thead>
          <tr>
            {columns.map(({ label, kind, className }) =>
              kind === 'actions' ? (
                <td key={label}>
                  <span className="visually-hidden">{label}</span>
                </td>
              ) : (
                <th key={label} scope="col" className={className}>
                  {label}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <RecordRow key={keyOf(row)} row={row} columns={columns} {...rowProps} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

type RowProps<Row> = Pick<Props<Row>, 'columns' | 'isOpening' | 'details'> & { row: Row }

function RecordRow<Row>({ row, columns, isOpening = false, details }: RowProps<Row>) {
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const disclosure = { isOpen, toggle: () => setIsOpen(!isOpen), id }
  return (
    <>
      <tr {...(isOpening && openingRow)} {...(details && { 'data-open': isOpen })}>
        {columns.map(({ label, kind, className, cell }) => (
          <td key={label} className={className} data-label={kind === undefined ? label : undefined}>
            {cell(row, disclosure)}
          </td>
        ))}
      </tr>
      {details && (
        <tr id={id} hidden={!isOpen} className={styles.details}>
          <td colSpan={columns.length}>{isOpen && details(row)}</td>
        </tr>
      )}
    </>
  )
}
