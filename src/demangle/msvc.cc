// msvc.cc -- the one door to LLVM's demangler of Microsoft's C++ names; C++ because it is.
#include <cstdlib>

#include <llvm/Config/llvm-config.h>
#include <llvm/Demangle/Demangle.h>

extern "C" char *msvc_print(const char *name, int with_return_type);

// The readable name, to be given back with free(); NULL: not one of Microsoft's, or only its
// beginning is.
extern "C" char *msvc_print(const char *name, int with_return_type)
{
	const auto flags = llvm::MSDemangleFlags(
		llvm::MSDF_NoAccessSpecifier | llvm::MSDF_NoMemberType |
		(with_return_type ? llvm::MSDF_None : llvm::MSDF_NoReturnType));
	int status = llvm::demangle_unknown_error;
	size_t read = 0;
#if LLVM_VERSION_MAJOR >= 17
	char *text = llvm::microsoftDemangle(name, &read, &status, flags);
#else
	char *text = llvm::microsoftDemangle(name, &read, nullptr, nullptr, &status, flags);
#endif

	if (text && (status != llvm::demangle_success || name[read] != '\0')) {
		free(text);
		return nullptr;
	}
	return text;
}
