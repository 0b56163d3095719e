# What a CANN toolkit's script of this name sets, for the folder that this one is in; for bash, by `source`.
soma_home=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
export ASCEND_HOME_PATH=$soma_home
export ASCEND_TOOLKIT_HOME=$soma_home
export ASCEND_INSTALL_PATH=$soma_home
export ASCENDC_CMAKE_DIR=$soma_home/tikcpp/ascendc_kernel_cmake
export SOC_VERSION=Ascend910B1
export DDK_PATH=$soma_home
export NPU_HOST_LIB=$soma_home/lib64
export LD_LIBRARY_PATH=$soma_home/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
unset soma_home
