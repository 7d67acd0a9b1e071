// biome-ignore-all lint/a11y/useSemanticElements: a table cannot have some rows of a million.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus, and names its active row.
/** One row of the list. Plain elements only: scrolling draws a screenful of them every second. */
import { useLingui } from '@lingui/react/macro'
import { memo, type ReactNode } from 'react'
import type { ListedUser, User } from 'rollbook/client'
import { consoleBase } from '../../api/base.ts'
import { IconMore } from '../../ui/icons.tsx'
import { formatAgo, formatInstant } from '../../ui/instants.ts'
import { Role } from '../../ui/user-state.tsx'
import { useValueText } from '../attributes/value-text.ts'
import { MembershipEnd } from '../end-date/membership-end.tsx'
import { OrganizationLink } from '../organizations/organization-link.tsx'
import { AccountState } from '../user-details/account-state.tsx'
import type { ColumnId } from './columns.ts'
import tickStyles from './tick.module.css'
import styles from './user-row.module.css'

type Props = {
  /** From 0 in the whole list. */
  row: number
  /** Undefined while it loads. */
  user: User | undefined
  /** Its position in the scrolled element, in pixels. */
  top: number
  columns: readonly ColumnId[]
  isActive: boolean
  isSelected: boolean
  /** Sign-in must wait now. */
  isLocked: boolean
  /** A change that removes the user from the list is being sent. */
  isGoing: boolean
}

export function rowId(row: number): string {
  return `user-row-${row}`
}

function userHref(userId: string): string {
  return `${consoleBase}users/${userId}`
}

function nameOf({ first_name, last_name, username }: User): string {
  return `${first_name} ${last_name}`.trim() || username
}

export const UserRow = memo(function UserRow({
  row,
  user,
  top,
  columns,
  isActive,
  isSelected,
  isLocked,
  isGoing,
}: Props) {
  const { t } = useLingui()
  const tabIndex = isActive ? 0 : -1
  return (
    <div
      role="row"
      id={rowId(row)}
      aria-rowindex={row + 2}
      aria-selected={isSelected}
      data-row={row}
      data-active={isActive || undefined}
      data-going={isGoing || undefined}
      data-opening={(user !== undefined && !isGoing) || undefined}
      className={styles.row}
      style={{ transform: `translateY(${top}px)` }}
    >
      <div role="gridcell" className={styles.cell} data-column="select">
        {user !== undefined && (
          <label className={tickStyles.tick}>
            <input
              type="checkbox"
              readOnly
              checked={isSelected}
              tabIndex={tabIndex}
              aria-label={t`Select ${user.username}`}
            />
          </label>
        )}
      </div>
      {columns.map((column) => (
        <div key={column} role="gridcell" className={styles.cell} data-column={column}>
          {user === undefined ? (
            <i className={styles.skeleton} />
          ) : (
            <Cell column={column} user={user} isLocked={isLocked} tabIndex={tabIndex} />
          )}
        </div>
      ))}
      <div role="gridcell" className={styles.cell} data-column="menu">
        {user !== undefined && (
          <button
            type="button"
            className={styles.menu}
            tabIndex={tabIndex}
            aria-haspopup="menu"
            aria-label={t`Actions for ${user.username}`}
          >
            <IconMore />
          </button>
        )}
      </div>
    </div>
  )
})

type CellProps = { column: ColumnId; user: ListedUser; isLocked: boolean; tabIndex: number }

function Cell({ column, user, isLocked, tabIndex }: CellProps): ReactNode {
  const { t } = useLingui()
  switch (column) {
    case 'username':
      return <Person user={user} tabIndex={tabIndex} />
    case 'email':
      return user.email === null ? (
        <None />
      ) : (
        <span dir="ltr" className={styles.text}>
          {user.email}
        </span>
      )
    case 'role':
      return <Role role={user.role} />
    case 'organization':
      return user.organization_id === undefined ? (
        <None />
      ) : (
        <span className={styles.text}>
          <OrganizationLink organizationId={user.organization_id} tabIndex={tabIndex} />
        </span>
      )
    case 'state':
      return <MembershipEnd user={user} otherwise={<AccountState user={user} isLocked={isLocked} />} />
    case 'last_login_at':
      return <When value={user.last_login_at} before={t`Last sign-in`} />
    case 'created_at':
    case 'updated_at':
      return <When value={user[column]} />
    case 'external_id':
      return user.external_id === null ? (
        <None />
      ) : (
        <span dir="auto" className={styles.text}>
          {user.external_id}
        </span>
      )
    case 'user_id':
      return (
        <code dir="ltr" className={styles.text}>
          {user.user_id}
        </code>
      )
    default:
      return <AttributeValue value={user.attributes[column.slice('attributes.'.length)]} />
  }
}

function AttributeValue({ value }: { value: User['attributes'][string] | undefined }) {
  const textOf = useValueText()
  if (value === undefined) return <None />
  const text = textOf(value)
  return (
    <span dir="auto" className={styles.text} title={text}>
      {text}
    </span>
  )
}

function Person({ user, tabIndex }: { user: User; tabIndex: number }) {
  const { t } = useLingui()
  const name = nameOf(user)
  const isNamed = name !== user.username
  const isService = user.kind === 'service'
  return (
    <>
      <span className={styles.avatar} aria-hidden="true">
        {initialsOf(user)}
      </span>
      <span className={styles.names}>
        <a dir="auto" className={styles.name} href={userHref(user.user_id)} tabIndex={tabIndex}>
          {name}
        </a>
        {(isNamed || isService) && (
          <span className={styles.under}>
            {isNamed && (
              <span dir="auto" className={styles.username}>
                {user.username}
              </span>
            )}
            {isService && (
              <span className={styles.service}>
                {isNamed && '· '}
                {t`Service account`}
              </span>
            )}
          </span>
        )}
      </span>
    </>
  )
}

/** `before` names the value where the columns have no headings. */
function When({ value, before }: { value: string | null; before?: string }) {
  const { t, i18n } = useLingui()
  if (value === null)
    return (
      <span className={styles.quiet} data-before={before}>
        {t`Never`}
      </span>
    )
  return (
    <time className={styles.quiet} data-before={before} dateTime={value} title={formatInstant(value, i18n.locale)}>
      {formatAgo(value, i18n.locale)}
    </time>
  )
}

function None() {
  return <span className={styles.quiet}>–</span>
}

function initialsOf({ first_name, last_name, username }: User): string {
  const words = [first_name, last_name].filter((word) => word !== '')
  const letters = (words.length > 0 ? words : [username]).map((word) => [...word][0] ?? '')
  return letters.join('').toLocaleUpperCase()
}
