/* What only errors call: gcc puts the branches that lead there apart, where they are not read. */
#define COLD __attribute__((cold))
struct _object;
void CPy_AddTraceback(const char *, const char *, int, struct _object *) COLD;
void CPy_AttributeError(const char *, const char *, const char *, const char *, int, struct _object *) COLD;
void CPy_TypeError(const char *, struct _object *) COLD;
void CPy_TypeErrorTraceback(const char *, const char *, int, struct _object *, const char *, struct _object *) COLD;
void CPyError_OutOfMemory(void) COLD;
void PyErr_SetString(struct _object *, const char *) COLD;
static void CPy_DecRef(struct _object *) COLD __attribute__((unused));
