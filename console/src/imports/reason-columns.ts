/** What a file of rejected rows has besides the columns of the file that was imported. */
export const reasonColumns = ['rejected_row', 'rejected_line', 'rejected_code', 'rejected_detail'] as const
