/** The columns that a file of rejected rows has in addition to those of the imported file. */
export const reasonColumns = ['rejected_row', 'rejected_line', 'rejected_code', 'rejected_detail'] as const
