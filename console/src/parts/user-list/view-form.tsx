/** How the list is shown: order, columns, density, endless or in pages. Choices apply at once. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useAttributes } from '../../data/attributes.ts'
import type { Sort, UsersSearch } from '../../data/search/users.ts'
import { sorts, usualSort } from '../../data/search/users.ts'
import { useIsPhone } from '../../ui/use-is-phone.ts'
import { type ColumnId, columnIds } from './columns.ts'
import { useColumnLabels } from './use-column-labels.ts'
import styles from './view-form.module.css'

type ViewChange = { [Name in keyof UsersSearch]: UsersSearch[Name] | undefined }

type Props = {
  search: UsersSearch
  /** While none are chosen, as many as fit. */
  visibleColumns: ReadonlySet<ColumnId>
  hasOrganizations: boolean
  onChange: (change: ViewChange) => void
}

export function ViewForm({ search, visibleColumns: shown, hasOrganizations, onChange }: Props) {
  const { t } = useLingui()
  const labelOf = useColumnLabels()
  const attributes = useAttributes() ?? []
  const all: readonly ColumnId[] = [
    ...columnIds.filter((id) => hasOrganizations || id !== 'organization'),
    ...attributes.map(({ name }) => `attributes.${name}` as const),
  ]
  const isPhone = useIsPhone()
  const orders: Record<Sort, string> = {
    username: t`Username, A to Z`,
    '-username': t`Username, Z to A`,
    email: t`Email, A to Z`,
    '-email': t`Email, Z to A`,
    created_at: t`Created, oldest first`,
    '-created_at': t`Created, newest first`,
    last_login_at: t`Last sign-in, longest ago first`,
    '-last_login_at': t`Last sign-in, latest first`,
  }
  return (
    <div className={styles.form}>
      <label className={styles.order}>
        <span>
          <Trans>Order</Trans>
        </span>
        <select
          value={search.sort ?? usualSort}
          onChange={({ currentTarget: { value } }) => onChange({ sort: sorts.find((sort) => sort === value) })}
        >
          {sorts.map((sort) => (
            <option key={sort} value={sort}>
              {orders[sort]}
            </option>
          ))}
        </select>
      </label>
      {!isPhone && (
        <fieldset>
          <legend>
            <Trans>Columns</Trans>
          </legend>
          <div className={styles.columns}>
            {all
              .filter((id) => id !== 'username')
              .map((id) => (
                <label key={id}>
                  <input
                    type="checkbox"
                    checked={shown.has(id)}
                    onChange={({ currentTarget: { checked } }) => {
                      const chosen = all.filter((one) => (one === id ? checked : shown.has(one)))
                      onChange({ columns: chosen.join() })
                    }}
                  />
                  {labelOf(id)}
                </label>
              ))}
          </div>
          {search.columns !== undefined && (
            <button type="button" className={styles.link} onClick={() => onChange({ columns: undefined })}>
              <Trans>As many as fit</Trans>
            </button>
          )}
        </fieldset>
      )}
      <fieldset>
        <legend>
          <Trans>Row height</Trans>
        </legend>
        <Choice
          name="density"
          value={search.density ?? 'comfortable'}
          options={{ comfortable: t`Comfortable`, compact: t`Compact` }}
          onChange={(value) => onChange({ density: value === 'compact' ? 'compact' : undefined })}
        />
      </fieldset>
      <fieldset>
        <legend>
          <Trans>Long lists</Trans>
        </legend>
        <Choice
          name="mode"
          value={search.page === undefined ? 'list' : 'pages'}
          options={{ list: t`Scroll through all`, pages: t`Page by page` }}
          onChange={(value) => onChange({ page: value === 'pages' ? 1 : undefined, row: undefined })}
        />
      </fieldset>
    </div>
  )
}

function Choice<Value extends string>({
  name,
  value,
  options,
  onChange,
}: {
  name: string
  value: Value
  options: Record<Value, string>
  onChange: (value: Value) => void
}) {
  return (
    <div className={styles.choice}>
      {(Object.keys(options) as Value[]).map((option) => (
        <label key={option}>
          <input type="radio" name={name} checked={value === option} onChange={() => onChange(option)} />
          {options[option]}
        </label>
      ))}
    </div>
  )
}
