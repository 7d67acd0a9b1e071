/** The menu of a user, and the dialogs that it and the selection open. */
import { lazy, Suspense, useState } from 'react'
import type { User } from 'rollbook/client'
import { useDialog } from '../../ui/use-dialog.ts'
import type { BulkAction, Selection } from '../bulk/selection.ts'
import type { UserActions } from '../user-actions/use-user-actions.ts'
import type { UserDialog } from '../user-actions/user-dialogs.tsx'

const BulkDialog = lazy(() => import('../bulk/bulk-dialog.tsx'))
const SelectFromList = lazy(() => import('../user-finder/select-from-list.tsx'))
const UserMenu = lazy(() => import('../user-actions/user-menu.tsx'))
const UserDialogs = lazy(() => import('../user-actions/user-dialogs.tsx'))

type Bulk = { action: BulkAction; selection: Selection; total: number }

export function useListDialogs() {
  const [menu, setMenu] = useState<{ user: User; anchor: DOMRect }>()
  const [dialog, setDialog] = useState<UserDialog>()
  const bulking = useDialog()
  const pasting = useDialog()
  const [bulk, setBulk] = useState<Bulk>()
  const startBulk = (next: Bulk) => {
    setBulk(next)
    bulking.open()
  }
  return { menu, setMenu, dialog, setDialog, bulking, pasting, bulk, startBulk }
}

type DialogsProps = {
  dialogs: ReturnType<typeof useListDialogs>
  actions: UserActions
  group: string | undefined
  onSelect: (ids: readonly string[]) => void
  onBulkDone: () => void
}

export function ListDialogs({ dialogs, actions, group, onSelect, onBulkDone }: DialogsProps) {
  const { menu, setMenu, dialog, setDialog, bulking, pasting, bulk } = dialogs
  return (
    <Suspense fallback={null}>
      {menu && (
        <UserMenu
          key={menu.user.user_id}
          {...menu}
          actions={actions}
          onDialog={setDialog}
          onDelete={(user) => void actions.remove(user)}
          onClose={() => setMenu(undefined)}
        />
      )}
      {pasting.wasOpened && (
        <SelectFromList group={group} isOpen={pasting.isOpen} onClose={pasting.close} onSelect={onSelect} />
      )}
      {dialog && <UserDialogs dialog={dialog} onClose={() => setDialog(undefined)} />}
      {bulk && <BulkDialog {...bulk} isOpen={bulking.isOpen} onClose={bulking.close} onDone={onBulkDone} />}
    </Suspense>
  )
}
